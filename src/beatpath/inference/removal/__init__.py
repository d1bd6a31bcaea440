"""Removal: the smallest influential set of battles."""
