"""The network without PyTorch, on a CPU: the same sums, in float32 or int8, from compiled loops."""
