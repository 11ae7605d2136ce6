"""The tree as a value: building, brackets, escapes, cleaning, heads."""
