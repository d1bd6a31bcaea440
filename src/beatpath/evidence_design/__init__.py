"""The design of the evidence: which pairs were compared, how often, in which position, and what outcomes depend on."""
