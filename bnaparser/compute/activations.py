"""The activations that follow a product, by name and by number."""

from __future__ import annotations

NO_ACTIVATION, RELU, LEAKY_RELU, GELU = range(4)
ACTIVATION_NUMBERS = {"relu": RELU, "leaky_relu": LEAKY_RELU, "gelu": GELU}
