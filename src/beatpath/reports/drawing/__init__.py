"""Draw specifications as SVG; supports the part of Vega-Lite that our figures use, and nothing else."""
