"""Trees to look at: as SVG and as lines of text; what their labels mean in plain words."""
