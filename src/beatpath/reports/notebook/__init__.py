"""Notebook: results as frames and pictures."""
