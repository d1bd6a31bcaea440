"""Runs: score tables with several runs (seeds, epochs) per agent and task, aggregated as in reinforcement learning."""
