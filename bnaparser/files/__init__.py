"""What lies on disk: tensors, tables, compressed files, the names in a model folder."""
