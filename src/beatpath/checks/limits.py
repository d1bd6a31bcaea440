"""Where a number becomes a warning, each limit with its reason."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The level of intervals and the limits that turn a figure into a warning.

    Parameters
    ----------
    level : float
        Coverage of every interval.
    ties : float
        Share of ties and both-bad above which the tie policy alone can move win rates: at one in five, counting
        ties as half and leaving them out can differ by 10 points.
    dropped : float
        Share of rows that could not be used.
    duplicates : float
        Share of rows that repeat another in every column.
    thin : int
        Battles an agent needs: below 30 the 95 % interval of a win rate is wider than 18 points either way.
    effective : float
        Effective number over number, of agents, pairs or weights: at one half, half of the evidence is idle.
    opponents : float
        Spread of the strength of opposition: at 0.1, win rates of equal agents may differ by about 10 points.
    design_effect : float
        Variance over that of independent rows: 1.1 makes intervals 5 % too narrow.
    clusters : int
        Clusters, or units judged twice, below which nothing is concluded: with 12 the intervals covered 88 to 96 %
        in simulation, with 20 or more 92 to 97 %.
    alpha : float
        Krippendorff's lowest limit for tentative conclusions.
    judge_gap : float
        How far a judge's agreement must fall below that of the others, beyond chance.
    position : float
        Distance from one half, beyond chance, of the share won by the side shown first.
    flips : float
        Share of verdicts that change with the order of showing, at the lower end of its interval.
    missing : float
        Share of empty cells in a score table: any at all means that means are over different tasks.
    """

    level: float = 0.95
    ties: float = 0.2
    dropped: float = 0.05
    duplicates: float = 0.01
    thin: int = 30
    effective: float = 0.5
    opponents: float = 0.1
    design_effect: float = 1.1
    clusters: int = 20
    alpha: float = 0.667
    judge_gap: float = 0.1
    position: float = 0.01
    flips: float = 0.1
    missing: float = 0.0

    def to_dict(self) -> dict[str, float]:
        """Return the limits as plain data."""
        return asdict(self)
