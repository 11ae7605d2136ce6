"""What users hold: a Parser, the Parse of a sentence, and batches side by side."""
