"""Numerics that several methods share: Newton, Laplacians, linear programs, Markov chains."""
