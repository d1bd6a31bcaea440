"""Results into words, tables and pages; nothing here computes a statistic."""
