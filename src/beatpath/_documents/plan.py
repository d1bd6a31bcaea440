"""How many more battles, and between whom."""

PARTS = {
    "Pair": """Battles to play.
        a: str  Between this agent
        b: str  and this one,
        battles: int  so many.""",
    "Battles": """A number of battles and its interval; null beyond any limit.
        number: num?  The number.
        fewest: num?  Its lower end.
        most: num?  Its upper end.""",
}

DOCUMENTS = {
    "sample_size": """Battles that would part two agents.
        agents: [str]  The two.
        gap: num?  Between their scores.
        interval: [num?]?  Of the gap.
        direct: Battles?  Played between the two.
        spread: Battles?  Spread over their opponents.
        floor: num?  The standard error that no number of battles between the two goes below.
        certain: bool  Whether they are parted already.
        note: str  What to know.
        settings: {any}  What was chosen.""",
    "sample_size_for_top": """Battles after which the top is certain.
        best: [str]  Who is to be parted from the rest.
        battles: num?  In all.
        pairs: [Pair]  Who plays whom.
        spread: num?  In all, spread as at present.
        note: str  What to know.
        settings: {any}  What was chosen.""",
    "minimum_detectable_effect": """The smallest gaps that so much data would find.
        agents: [str]  In the order of the rows.
        gap: [[num?]]  Between every two.
        median: num?  Of all.
        leaders: [str]  The two with the highest scores.
        between_leaders: num?  The gap between them that would be found.
        settings: {any}  What was chosen.""",
    "comparisons_needed": """Comparisons that settle every majority.
        each: [[num?]]  For every pair by its own margin; null where no number will do.
        uniform: num?  For all pairs alike, by the smallest margin.
        margin: num  The smallest margin.
        error: num  The error probability of all together.""",
    "next_pairs": """Which pairs to play next.
        goal: str  What is to be resolved.
        budget: int  Battles to spend.
        pairs: [Pair]  Where to spend them.
        now: num?  What is resolved now.
        expected: num?  What is expected after.
        evenly: num?  What is expected if they are spread evenly.
        wanted: num?  All there is to resolve.
        notes: [str]  What a reader must know.
        settings: {any}  What was chosen.""",
}
