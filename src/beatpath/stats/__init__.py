"""Statistics that checks and inference share: intervals and effective numbers."""
