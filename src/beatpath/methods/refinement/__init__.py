"""Rules that choose among those whom Split Cycle leaves undefeated."""
