"""How languages besides English are cut into sentences and into pieces of words, a file a language."""
