"""The names of the files in a model folder."""

from __future__ import annotations

CONFIG = "config.json"
LABELS = "labels.json"
WEIGHTS = "model.safetensors"
METRICS = "metrics.json"
ENCODER = "encoder"
