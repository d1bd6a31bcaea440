"""Win rates: observed win rates of pairs, with cluster-robust standard errors."""
