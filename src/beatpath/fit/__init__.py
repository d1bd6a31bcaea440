"""The fitting engine: paired comparisons fitted by one Newton's method on one graph Laplacian, dense, sparse or in batches."""
