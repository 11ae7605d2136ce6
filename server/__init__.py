"""The HTTP service: REST, CoreNLP's protocol and a page to see trees on, around one Parser."""
