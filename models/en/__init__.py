"""The English model that ships; see card.md."""
