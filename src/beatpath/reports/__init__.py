"""Results as sentences, tables, figures and pages; nothing here computes a statistic."""
