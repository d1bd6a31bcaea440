"""How sure: win rates with robust errors, rank-confidence sets, cycles, bootstrap, robustness and power."""
