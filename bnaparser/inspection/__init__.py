"""Looking inside encoders that syntax guides: gates, attention maps, and the structural probe."""
