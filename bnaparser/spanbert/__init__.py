"""Pre-training of encoders on spans: masking, objectives, blocks of text, and the training itself."""
