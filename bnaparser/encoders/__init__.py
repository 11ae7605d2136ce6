"""From words to vectors: pre-trained encoders and characters, subwords, rows, vocabulary."""
