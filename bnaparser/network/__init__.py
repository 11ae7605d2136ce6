"""The parser's network: BNA layers, span scorer, labels, decoding, and how it is stored."""
