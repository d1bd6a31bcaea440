"""Sensitivity: what changes when a part is left out, copied or chosen after the fact."""
