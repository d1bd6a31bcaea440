"""The first words: what ``beatpath`` alone says."""

from beatpath._version import __version__

WELCOME = f"""\
beatpath {__version__}: what evaluation data really show, and what they do not.

Try it:                  beatpath resolve --example
Look at your file:       beatpath check battles.csv
Who is above whom:       beatpath resolve battles.csv
By every method:         beatpath rank battles.csv
Everything in one page:  beatpath report battles.csv -o report.html

Files of battles, tables of scores and rankings are read as they are.
All verbs: beatpath --help. One verb: beatpath rank --help."""
