"""Numerical algorithms that several methods share: bounded descent, linear programs, Markov chains."""
