"""int8 products for encoders that are not compiled as a whole: their linear layers exchanged."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from bnaparser.compute.multiply import multiply
from bnaparser.compute.packed import pack_bytes
from bnaparser.network.model import BnaModel


class Int8Linear(nn.Module):
    """A linear layer whose weights have a scale a row, its inputs, rounded to int8, one a vector.

    For inference on a CPU. A matrix that was stored as int8 becomes the same numbers again.
    """

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self._matrix = pack_bytes(linear.weight.detach().float().numpy())
        self.weight = torch.empty(0)  # T5 asks for its kind of numbers
        bias = torch.zeros(self.out_features) if linear.bias is None else linear.bias.detach()
        self._bias = bias.float().numpy().copy()

    def get_extra_state(self) -> Tensor:
        """Return the bytes of what is multiplied, no parameter any more, for `BnaModel.fingerprint` to count."""
        parts = (self._matrix.panels, self._matrix.scales, self._bias)
        return torch.from_numpy(np.concatenate([part.reshape(-1).view(np.uint8) for part in parts]))

    def forward(self, inputs: Tensor) -> Tensor:
        """Map (..., in_features) to (..., out_features), float32."""
        rows = np.ascontiguousarray(inputs.detach().reshape(-1, self.in_features).numpy())
        outputs = torch.from_numpy(multiply(rows, self._matrix, self._bias))
        return outputs.reshape(*inputs.shape[:-1], self.out_features)


def compute_in_int8(model: BnaModel) -> None:
    """Exchange the linear layers of a model's encoder; what is not one stays in float32."""
    for module in list(model.encoder.modules()):
        for name, child in list(module.named_children()):
            if type(child) is nn.Linear:
                setattr(module, name, Int8Linear(child))
    model.precision = "int8"
