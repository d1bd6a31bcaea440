"""Statistical inference: win rates with cluster-robust errors, rank sets, cycles, bootstrap, sensitivity and power."""
