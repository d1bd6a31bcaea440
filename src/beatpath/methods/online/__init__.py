"""Online: ratings and counts that are kept while battles arrive."""
