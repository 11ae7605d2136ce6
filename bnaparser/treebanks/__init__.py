"""Files of trees: reading, releases of the LDC, label maps, what a treebank holds."""
