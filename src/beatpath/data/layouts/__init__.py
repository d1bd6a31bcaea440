"""Layouts: what the columns of a table mean, and the evidence they make."""
