"""The win-rate matrix: one estimate of every win rate, compared directly or not, assisted by a Bradley-Terry model."""
