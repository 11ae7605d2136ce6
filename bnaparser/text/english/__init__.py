"""English sentence ends, Penn Treebank words, abbreviations."""
