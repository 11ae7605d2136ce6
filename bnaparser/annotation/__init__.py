"""Trees corrected by people: a project folder, edits of trees, agreement, and the web page for all of it."""
