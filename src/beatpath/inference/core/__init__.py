"""Core: the undominated agents (top cycle and uncovered set), with posterior probabilities."""
