"""``python -m beatpath``: the command line."""

from beatpath.cli.main import main

main()
