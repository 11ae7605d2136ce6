"""What waits: admission, batches across requests, the one thread of the models."""
