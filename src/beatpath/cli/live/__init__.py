"""Verbs of an evaluation that runs."""
