"""An evaluation that runs: who plays next, what came of it, and when to stop."""
