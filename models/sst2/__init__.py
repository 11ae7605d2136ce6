"""The English sentiment model that ships; see card.md."""
