"""Sources: where bytes come from, what the user said of them, and that they hold still."""
