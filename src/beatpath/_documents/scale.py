"""Win rates, cycles, and whether one scale is fair."""

PARTS = {
    "PairRate": """How often an agent beat another.
        agent: str  The agent.
        rival: str  The other.
        rate: num  The share of the weight won, ties half.
        stderr: num?  The standard error of that, null where two-way clustering leaves none.
        df: num?  Degrees of freedom of it; null where it is known.
        weight: num  Of all their battles.
        battles: int  How many these were.""",
}

DOCUMENTS = {
    "win_rate_estimate": """The win rate of every pair that met.
        agents: [str]  All of them.
        pairs: [PairRate]  One a pair that met.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned the evidence into win rates.
        notes: [str]  What a reader must know.""",
    "win_matrix": """The estimated win rate of every pair, met or not.
        agents: [str]  In the order of rows and columns.
        rate: [[num?]]  Of the row against the column; null where no chain of battles connects them.
        standard_error: [[num?]]  Of every win rate.
        kept: [[num?]]  How much of its own rate a pair keeps: 0 is what one scale says, 1 the rate.
        strength: {num}  On the scale, in log odds, by agent.
        phi: num  How many times as much battles vary as they would if independent.
        tau: num  How far the win rate of an even pair typically lies from what the scale says.
        tau_high: num  The largest such distance that the data admit (95 %, one-sided).
        parts: [[str]]  Agents that a chain of battles connects, the largest part first.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned the evidence into win rates.""",
    "bradley_terry_projection": """Strengths on one scale, and how well they stand for the win rates.
        estimand: str  What a strength is.
        strengths: {Strength?}  By agent, null for one without a finite strength.
        lack_of_fit: @lack_of_fit  How badly one scale fits.
        defensible: bool?  Whether it may stand for the win rates; null where that cannot be told.
        worst: [Residual]  The pairs it fits worst.
        notes: [str]  What a reader must know.
        settings: {any}  What was chosen.""",
    "lack_of_fit": """How badly one scale fits the win rates.
        agents: int  On the scale.
        pairs: int  That met.
        circles: int  Independent circles among them, on which a misfit can be seen.
        clusters: num  Effective number of clusters.
        statistic: num  The weighted sum of squared residuals.
        level: num  Of the test.
        expected: num?  What the statistic is expected to be where one scale fits.
        deviation: num?  Its standard deviation then.
        df: num?  Degrees of freedom of the deviation.
        p_value: num?  Of the test.
        rms: num?  Root mean square of what a rate is off, noise taken out.
        rms_high: num?  Its upper limit.""",
}
