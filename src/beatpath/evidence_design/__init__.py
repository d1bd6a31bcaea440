"""The design of the evidence: who was compared with whom, how often, shown where, and what outcomes depend on."""
