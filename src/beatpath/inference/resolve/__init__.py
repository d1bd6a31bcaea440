"""Resolve: what the data resolve, in one result, and claims tested against it."""
