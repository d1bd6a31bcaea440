"""Sensitivity: what changes when parts are left out, agents copied, or variants selected after the fact."""
