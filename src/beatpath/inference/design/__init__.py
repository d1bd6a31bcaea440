"""Planning: statistical power, sample sizes, and which pairs to play next."""
