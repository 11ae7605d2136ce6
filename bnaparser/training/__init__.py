"""From treebanks to weights: recipe, data, update, loss, schedule, judging, checkpoints."""
