"""Fitting of paired-comparison models by Newton's method on a graph Laplacian: dense, sparse or batched."""
