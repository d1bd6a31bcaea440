"""Who judges how well: reliability, favors, agreement, estimates that know the judges, and what one judge could turn."""
