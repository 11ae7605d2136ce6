"""From treebanks to weights: recipe, data, step, loss, schedule, judging, checkpoints."""
