"""Tasks for encoders guided by syntax: their data, heads, training, scores and model folders."""
