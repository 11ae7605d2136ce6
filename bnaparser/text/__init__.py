"""From text to sentences and words, each with its place in the input."""
