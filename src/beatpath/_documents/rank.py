"""What `rank` prints, and rankings by other ways."""

PARTS: dict[str, str] = {}

DOCUMENTS = {
    "strength_curves": """How strong every agent was when.
        sentences: [str]  Who is strongest, who changed most.
        drift: num  Standard deviation of what an agent changes in a unit of time, in log odds.
        prior: num  Wins and losses against an agent of strength zero at a first battle.
        level: num  Probability of the intervals.
        joint: bool  Whether intervals carry the uncertainty of the opponents.
        status: str  How it ended.
        chosen_by: str  Who chose the drift.
        tried: [any]  Drifts that were tried, and how probable each is or the log loss of later battles under it.
        current: [any]  Every agent's strength at its last battle, with its interval.
        changes: [any]  What every agent changed from its first battle to its last, with its interval.
        curves: [any]  The points of every agent's curve.""",
}
