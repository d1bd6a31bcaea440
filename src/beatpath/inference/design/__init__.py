"""Design: power, sample sizes, and which battle to play next."""
