"""Analysis: runs every analysis of a report once, through the other packages, and collects the results."""
