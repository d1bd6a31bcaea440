"""Whole-history Bradley-Terry: strengths as curves over time."""
