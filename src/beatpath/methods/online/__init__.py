"""Online: ratings and counts that are stored while battles arrive."""
