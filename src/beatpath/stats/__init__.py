"""Statistics shared by checks and inference: intervals, effective numbers, design effects, agreement."""
