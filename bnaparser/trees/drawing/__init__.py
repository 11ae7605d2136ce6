"""Trees as pictures: SVG, and lines of text."""
