"""For who comes from elsewhere: spaCy, NLTK, pandas, Polars, stanza, benepar; a file a library."""
