"""Terminal: results as tables for people and as plain data for machines."""
