"""Graph algorithms that several methods share: majority relations, widest paths, dominance, levels."""
