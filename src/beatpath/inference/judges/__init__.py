"""Judges: reliability, favoritism, agreement, estimates that account for judges, and what one judge could change."""
