"""Sources: where bytes come from, the user's options for them, and checks that files do not change while read."""
