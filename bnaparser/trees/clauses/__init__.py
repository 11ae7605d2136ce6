"""Clauses of a tree: their kind, their own words, and the clause on which each depends."""
