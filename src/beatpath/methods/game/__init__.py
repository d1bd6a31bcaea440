"""Solutions of games between agents, or between agents and tasks."""
