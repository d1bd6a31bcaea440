"""Items of a score table: which of them tell agents apart, which look wrong, and how few keep the certain orders."""
