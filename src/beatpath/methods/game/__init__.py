"""Game-theoretic ratings: games between agents, or between agents and tasks."""
