"""What `rank` prints, and rankings by other ways."""

PARTS = {
    "Condorcet": """Who beats all others head to head.
        strong: str?  The agent that beats every other.
        weak: [str]  The agents that lose to nobody.""",
    "Result": """The ranking of one of several methods.
        sentences: [str]  The order in one line.
        method: str  The method's key.
        levels: [[str]]  Agents best first; those of one level are tied.
        scores: {num?}  By agent, null where the method gives none.
        status: str  How the method ended.
        settings: {any}  What it was told.
        details: {any}  What else it has to say.
        conventions: [Convention]  What turned the evidence into what the method takes.""",
    "Mover": """How far an agent moves between methods.
        agent: str  The agent.
        best: int  Its best rank by any method.
        worst: int  Its worst.""",
    "Votes": """How diverse the voters are.
        total: int  Votes cast.
        distinct: int  Different ones among them.
        diversity: num?  The share that is different.
        histogram: {int}  How many votes were cast so often.""",
    "StableAgent": """One agent over the draws.
        rank: int  By the estimate.
        first: num?  The share of draws in which it is first, alone or with others.
        stays: num?  The share in which it has that rank.
        low: num?  Its rank in nine of ten draws, from
        high: num?  to.""",
    "RuleStability": """One rule over the draws.
        method: str  Its key.
        draws: int  How many it was run on.
        winners: [str]  Who is first by the estimate.
        winners_stay: num?  The share of draws in which these are first and nobody else.
        agents: {StableAgent}  By name.""",
    "Bounds": """Ends of intervals, one entry an agent.
        low: [num?]  Lower ends.
        high: [num?]  Upper ends.
        low_error: [num?]  Monte-Carlo errors of these
        high_error: [num?]  and these.""",
    "BootstrapRanking": """Scores, ranks and who is above whom over all draws, one entry an agent.
        score: [num?]  The score of all the evidence.
        place: [int]  The rank by all the evidence.
        intervals: {Bounds}  Of the scores, by kind.
        rank_low: [int]  Best rank of the interval.
        rank_high: [int]  Worst rank.
        mean_rank: [num?]  Over the draws.
        first: [num?]  Share of draws in which it was first.
        first_error: [num?]  Monte-Carlo error of that.
        first_alone: [num?]  Share of draws in which it was first alone.
        rank_frequency: [[num?]]  Share of draws with every rank.
        above: [[num?]]  Share of draws in which the row was above the column.""",
}

DOCUMENTS = {
    "comparison": """Several methods on the same evidence.
        answer: str  How many methods put whom first.
        results: [Result]  In the order asked for.
        condorcet: Condorcet  Who beats all others.
        distances: {{num}}  Kendall distances between methods, from 0 (the same) to 1 (reversed).
        movers: [Mover]  Agents by how far they move between methods.
        not_run: {str}  Methods without an answer, and why.
        notes: [str]  What a reader must know.
        votes: Votes?  How diverse the voters are, where there are ballots.
        stability?: @stability  How often the rankings stay what they are, on the command line where it was asked for.
        tiers?: @tiers  The tiers of what the data resolve, on the command line where they were asked for.
        reading?: Reading?  What became of the rows, on the command line.""",
    "stability": """How far the rankings of rules that compare pairs are settled by the data.
        sentences: [str]  What was found, in words.
        draws: int  How many matrices of win rates were drawn.
        settings: {any}  What was chosen.
        rules: [RuleStability]  In the order asked for.
        conventions: [Convention]  What turned evidence into win rates.""",
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
    "bootstrap": """A method on evidence drawn again and again.
        method: str  Its key.
        agents: [str]  In the order of every list.
        draws: int  How many.
        answered: int  Those with an answer.
        drawn: str  What was drawn.
        level: num  Of intervals.
        sets: {[num?]}  Share of draws in which each agent was a member, by set.
        ranking: BootstrapRanking?  Scores and ranks, where the method gives them.
        failures: {int}  Draws without an answer, by reason.
        caveats: {int}  Draws that ended otherwise than they should, by what was said.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into what the method takes.
        notes: [str]  What a reader must know.""",
}
