"""Who judges how well: reliability, favours, agreement, estimates that know the judges, and what one judge could turn."""
