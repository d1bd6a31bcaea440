"""Win rates: the matrix of pairs, with cluster-robust errors."""
