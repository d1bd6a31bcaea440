"""What `resolve` prints, and the boards, ranks and tiers it is made of."""

PARTS = {
    "BoardScore": """An agent's score.
        agent: str  Its name.
        part: int  The part of the agents it belongs to; those of different parts are not compared.
        score: num?  Its score, null where it has none.
        stderr: num?  The standard error of that.
        df: num?  Degrees of freedom of it; null where it is known.""",
    "Spread": """A spread with its interval.
        estimate: num  Its mean.
        low: num  What 95 % of its probability lies above.
        high: num  And below.""",
    "CovariateEffect": """What a covariate adds to the log odds.
        estimate: num  A unit of it.
        standard_error: num  Of the estimate.""",
    "ContextRow": """An agent on the board of a context or of the mixture.
        board: mixture|context  Which board it is.
        context: str?  The context; null for the mixture.
        agent: str  Its name.
        score: num?  Its score.
        low: num?  Its interval begins here.
        high: num?  And ends here.
        best: int  The best rank it may have.
        worst: int  The worst.
        own: num?  The score that the context's own battles, or scores, alone give; null for the mixture, and without any.
        battles: int  How many it had; of a table of scores, how many scores.""",
    "FirstByMixture": """Who is first as the mixture goes from one context to another.
        context: str  Whose share grows.
        other: str?  Whose share shrinks; null for all contexts alike.
        first: str  Who has the highest score at the start.
        changes: [FirstChange]  Where the highest score passes to somebody else.
        steps: [FirstStep]  Who may be first, by the share.
        contenders: [Contender]  Who may be first, or has the highest score, anywhere on the way.""",
    "Contender": """The scores of an agent that may be first.
        agent: str  Its name.
        score: [num?]  At every step.
        low: [num?]  Its interval begins here.
        high: [num?]  And ends here.""",
    "FirstOverMixtures": """In how many mixtures of contexts agents are first.
        mixtures: int  How many were drawn, evenly from all there are.
        seed: int  From which they were drawn.
        agents: [FirstShare]  Who may be first in any, most often first.
        ways: [FirstByMixture]  From all contexts alike to one alone.""",
    "FirstShare": """How often an agent is first.
        agent: str  Its name.
        first: num  The share of mixtures in which it has the highest score.
        may_be_first: num  The share in which it may be first.""",
    "FirstChange": """The highest score passes on.
        share: num  Of the context, at which it does.
        from: str  Who had it.
        to: str  Who has it then.""",
    "FirstStep": """Who may be first at one mixture.
        share: num  Of the context.
        may_be_first: [str]  By name.""",
    "Rank": """What the data allow of one agent.
        score: num?  Its score.
        low: num?  Lower end of its interval.
        high: num?  Upper end.
        best: int  The best rank it may have.
        worst: int  The worst.
        group: int  Equal for agents whose order is not certain.
        tier: int?  From the top: everyone of a lower tier is certainly below its leader; 1 is first, null without a score.
        letters: str  Run together (a, ..., Z, a1, ...): agents of one part that share none certainly differ.
        part: int  Agents of different parts were never compared; ranks are those within it.""",
    "LongRow": """One agent of a long board.
        agent: str  The agent.
        part: int  The part it belongs to, the largest 1.
        score: num?  Its score.
        low: num?  Lower end of its interval, which holds by itself.
        high: num?  Upper end.
        joint_low: num?  Lower end of its interval, all of which hold at once.
        joint_high: num?  Upper end.
        best: int  The best rank it may have in its part.
        worst: int  The worst.
        best_of_known: int?  The best among the agents with the most battles; null for others.
        worst_of_known: int?  The worst among them.
        battles: int  Its battles.""",
    "AnytimeAgent": """An agent of what holds at every look at once, whatever the schedule followed.
        agent: str  The agent.
        score: num  Mean win rate against all others; a pair that never met counts as even.
        best: int  The best rank it may have.
        worst: int  The worst.
        beats: int  Agents it certainly wins more often against than it loses.
        loses_to: int  Agents that certainly win more often against it.
        battles: int  Its battles.""",
    "ClaimTest": """Whether the data carry a claim.
        claim: str  As it was put.
        supported: bool  Whether they do.
        sentence: str  Why.
        cautions: [str]  Under which conditions, and what another question says.""",
    "BradleyTerry": """One scale as a summary of the win rates, or that there is none.
        schema_version?: str  Of the projection.
        type?: =bradley_terry_projection  Of the projection.
        sentences?: [str]  What was found, in words.
        estimand?: str  What a strength is.
        strengths?: {Strength?}  By agent, null for one without a finite strength.
        lack_of_fit: @lack_of_fit?  How badly it fits.
        defensible: bool?  Whether one scale may stand for the win rates; null where that cannot be told.
        sentence?: str  The same in words.
        worst?: [Residual]  The pairs it fits worst.
        notes?: [str]  What a reader must know.
        settings?: {any}  What was chosen.""",
    "RankRow": """One agent among the sets of ranks.
        agent: str  The agent.
        part: int  The part it belongs to, the largest 1; ranks are those within it.
        score: num?  Its score.
        low: num?  Lower end of its own interval.
        high: num?  Upper end.
        joint_low: num?  Lower end where all intervals hold at once.
        joint_high: num?  Upper end.
        rank: int  By score.
        best: int  The best rank it may have.
        worst: int  The worst.
        group: int  Equal for agents whose order is not certain.
        critical: num?  The critical value of its differences.""",
}

DOCUMENTS = {
    "anytime_board": """A board that holds at every look at once.
        level: num  The confidence.
        battles: int  Battles that were told.
        ranks: [AnytimeRow]  Agents, best first.
        above: [[str]]  Pairs of agents, the first certainly above the second.
        sentences: [str]  The same in words.""",
    "anytime_resolution": """What may be said of battles of any origin at every look at once.
        answer: str  Who may be first.
        level: num  The confidence with which everything holds at once.
        ranks: [AnytimeAgent]  Agents, best first.
        pairs: int  Pairs of agents.
        resolved_pairs: int  Those in a certain order.
        unmet: int  Those that never met.
        above: [[str]]  Pairs of agents, the score of the first certainly above that of the second.
        beats: [[str]]  Pairs of agents, the first certainly winning more often against the second than it loses.
        e_value: num?  Of two agents: what betting against their being equal has made of one; null for more.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into win rates.
        claims?: [ClaimTest]  The claims asked about, on the command line.
        reading?: Reading?  What became of the rows, on the command line.""",
    "resolution": """What the data resolve.
        answer: str  The short answer, fit for a title.
        estimand: str  What a score is.
        ranks: {Rank}  By agent.
        pairs: int  Pairs of agents, both of one part.
        resolved_pairs: int  Those whose order is certain.
        unique_ranks: int  Agents with one rank only.
        groups: [[str]]  Tie groups, best first.
        skipped: int  Differences without a usable variance.
        cycles: @cycles  Which circles survive the noise.
        bradley_terry: BradleyTerry  Whether one scale is fair.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into win rates.
        notes: [str]  What a reader must know.
        tiers?: @tiers  The tiers asked for, on the command line.
        claims?: [ClaimTest]  The claims asked about, on the command line.
        reading?: Reading?  What became of the rows, on the command line.""",
    "long_board": """Scores of more agents than are compared pair by pair, and the ranks that intervals leave.
        estimand: str  What a score is.
        agents: [LongRow]  One an agent, the largest part first, best first.
        pairs: int  Pairs of agents that share a part.
        resolved_pairs: int  Those whose intervals do not meet.
        parts: int  Parts that no chain of battles connects.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into scores.
        notes: [str]  What a reader must know.
        claims?: [ClaimTest]  The claims asked about, on the command line.
        reading?: Reading?  What became of the rows, on the command line.""",
    "context_resolution": """What the data resolve in every context and in a mixture of them.
        estimand: str  What a score of the mixture is.
        by: str  The column that tells contexts apart.
        mix: {num}  Weights of the mixture, adding up to one.
        spread: Spread  How far strengths in contexts lie about their mean: in log odds, or in the unit of the scores.
        dispersion: num  By which counts were divided, as outcomes vary more or less than those of decided, independent battles.
        covariates: {CovariateEffect}  What each covariate adds to the log odds, by name.
        boards: [ContextRow]  One an agent and board, the mixture first, best first.
        first_by_mixture: FirstByMixture?  How first place changes between two contexts, where two are mixed.
        first_over_mixtures: FirstOverMixtures?  How first place depends on the mixture, where there are three contexts or more.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into counts.
        notes: [str]  What a reader must know.
        claims?: [ClaimTest]  The claims asked about, on the command line.
        reading?: Reading?  What became of the rows, on the command line.""",
    "tiers": """A board in steps that the data carry.
        scheme: top|letters|cuts  How they are made.
        estimand: str  What a score is.
        labels: {str}  Tier, letters or group by agent; empty without a score.
        groups: [[str]]  The agents of every tier, letter or group, best first.
        part: {int}  By agent; those of different parts were never compared.
        settings: {any}  What was chosen.""",
    "leaderboard": """Scores of agents and the joint errors of these.
        estimand: str  What a score is.
        agents: [BoardScore]  One an agent.
        covariance: [[num?]]  Of the scores' errors, agents in the order above.
        df: [[num?]]  Degrees of freedom of the variance of each difference, on the diagonal of each score; null where it is known.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into scores.
        notes: [str]  What a reader must know.""",
    "rank_sets": """The ranks that every agent may have.
        estimand: str  What a score is.
        agents: [RankRow]  One an agent.
        order: [str]  Agents by score.
        groups: [[str]]  Tie groups, best first.
        unresolved_runs: [[str]]  Stretches in which nobody is certainly above anybody.
        above: [[int]]  Which agents, by number, are certainly below each.
        pairs: int  Pairs of agents.
        resolved_pairs: int  Those whose order is certain.
        share_resolved: num?  Their share.
        unique_ranks: [str]  Agents with one rank only.
        skipped: int  Differences without a usable variance.
        borderline: int  Differences that another seed might decide otherwise.
        critical_error: num?  Monte-Carlo error of the critical values.
        interval_critical: num?  Critical value of the joint intervals.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into scores.
        notes: [str]  What a reader must know.
        reading?: Reading?  What became of the rows, on the command line.""",
}
