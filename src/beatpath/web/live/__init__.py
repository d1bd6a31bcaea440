"""An arena alive: its board as battles arrive, and the interface by which runners ask and tell."""
