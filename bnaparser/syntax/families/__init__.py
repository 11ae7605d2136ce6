"""How each family of encoders hands its attention over: one file a kind of extension point."""
