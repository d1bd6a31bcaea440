"""Bradley-Terry: strengths from battles, with ties, position and covariates."""
