"""Layouts: the roles of a table's columns, and the evidence that they form."""
