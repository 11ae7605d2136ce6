"""The attention layers between word vectors and span scores, one file each."""
