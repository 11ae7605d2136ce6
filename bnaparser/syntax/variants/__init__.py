"""Attention guided by syntax, one paper's mechanism a file."""
