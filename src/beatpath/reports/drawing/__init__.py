"""Drawing: a picture's specification as SVG. Of Vega-Lite as much is understood as our pictures use, and nothing else."""
