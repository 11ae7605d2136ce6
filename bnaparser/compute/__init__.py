"""Matrix products and what lies between them, compiled with Numba: int8 and float32. No torch, no text."""
