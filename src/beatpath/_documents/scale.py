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
    "Edge": """One step of a cycle.
        winner: str  Who beats
        loser: str  whom.
        rate: num  The winner's share.
        battles: int  Of so many battles.
        z: num  How far from even, in standard errors.""",
    "Cycle": """Three agents that beat each other in a circle.
        agents: [str]  The three.
        edges: [Edge]  Who beats whom.
        z: num  Of its weakest step.""",
    "Flow": """What share of the win rates runs along one scale and in circles.
        gradient: num  Along one scale.
        cyclic: num  In circles.
        curl: num  In circles of three.
        harmonic: num  In longer circles.
        noise: num  Of the cyclic share, what noise alone would give.""",
    "Bin": """Chances of about one size.
        low: num  From
        high: num  to.
        said: num  Their mean.
        came: num  How often they came true.
        weight: num  How many they are.""",
}

DOCUMENTS = {
    "win_rate_estimate": """The win rate of every pair that met.
        agents: [str]  All of them.
        pairs: [PairRate]  One a pair that met.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned the evidence into win rates.
        notes: [str]  What a reader must know.""",
    "cycles": """Three-cycles, apparent and surviving.
        agents: int  With enough battles.
        pairs: int  With enough battles.
        triads: int  All three pairs of which have enough.
        observed: int  Cycles that appear.
        significant: int  Cycles that survive, all tested at once.
        significant_each: int  Cycles that survive a test of their own.
        weakest_edge_z: num?  Of the strongest cycle.
        critical: num?  The critical value of all at once.
        critical_each: num?  Of each by itself.
        most_battles: int?  That all pairs of some triple have, where none has enough.
        listed: [Cycle]  The strongest.
        settings: {any}  What was chosen.""",
    "transitivity": """Whether a single ranking says all.
        defensible: bool?  Whether it does; null where that cannot be told.
        cyclic_triads: num?  Share of triads that are cycles.
        flow: Flow?  What runs along one scale and what in circles.
        cycles: @cycles  Three-cycles.
        projection: @bradley_terry_projection?  One scale.""",
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
    "reliability": """How often chances came true.
        error: num?  The expected calibration error.
        bins: [Bin]  By size of the chance.""",
}
