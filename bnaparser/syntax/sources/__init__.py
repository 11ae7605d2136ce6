"""Where the trees of a task's texts come from."""
