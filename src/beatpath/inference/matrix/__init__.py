"""Matrix: one estimate of every win rate, met or not, assisted by one scale."""
