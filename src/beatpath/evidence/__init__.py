"""Evidence types: battles, ballots and scores, and the pair counts and matrices derived from them.

Every type is a frozen dataclass that validates its fields once. Arrays are read-only. Agents have names in the
interface and integer codes inside.
"""

from beatpath.evidence.arrays import Factor
from beatpath.evidence.ballots import Ballots
from beatpath.evidence.battles import Battles
from beatpath.evidence.conventions import Convention, Conventions, Reading
from beatpath.evidence.margins import Margins, WinRates
from beatpath.evidence.pairs import Pairs
from beatpath.evidence.scores import Scores

Evidence = Battles | Ballots | Scores | Pairs | Margins | WinRates

__all__ = [
    "Ballots",
    "Battles",
    "Convention",
    "Conventions",
    "Evidence",
    "Factor",
    "Margins",
    "Pairs",
    "Reading",
    "Scores",
    "WinRates",
]
