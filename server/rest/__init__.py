"""The REST interface: its routes, what they read and what they write."""
