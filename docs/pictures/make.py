"""Make the pictures of the README and the documentation: python docs/pictures/make.py."""

from pathlib import Path

import beatpath as bp
from beatpath.reports.figures import save, win_rate_matrix

here = Path(__file__).parent
save(win_rate_matrix(bp.example().pairs(), title="The built-in example"), here / "win_rates.svg")
