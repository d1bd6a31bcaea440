"""Runs: tables with several runs (seeds, epochs) an agent and task, summed up as reinforcement learning does it."""
