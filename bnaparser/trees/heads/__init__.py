"""Heads of constituents and the dependencies that follow from them."""
