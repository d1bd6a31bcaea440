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
        low: num?  Lower end of its interval, which holds by itself.
        high: num?  Upper end.
        best: int  The best rank it may have.
        worst: int  The worst.
        group: int  Equal for agents of a part whose order is not certain, or not wholly; 0 without a score.
        tier: int?  From the top: everyone of a lower tier is certainly below its leader; 1 is first, null without a score.
        letters: str  Run together (a, ..., Z, a1, ...): agents of one part that share none certainly differ; none of long boards.
        part: int  Agents of different parts were never compared; ranks are those within it.
        battles?: int  Its battles; of a table of scores, its scores.
        own?: num?  On the board of a context, the score that the context's own battles, or scores, alone give; null without any.
        rank?: int  By score; where ranks are all there is.
        critical?: num?  The critical value of its differences; where ranks are all there is.
        joint_low?: num?  Lower end of its interval, all of which hold at once; of long boards, and where ranks are all there is.
        joint_high?: num?  Upper end.
        best_of_known?: int?  Of a long board: the best rank among the agents with the most battles; null for others.
        worst_of_known?: int?  The worst among them.
        beats?: int  Of what holds at every look: agents it certainly wins more often against than it loses.
        loses_to?: int  Agents that certainly win more often against it.""",
    "ContextBoard": """The board of one context.
        estimand: str  What a score is.
        ranks: {Rank}  By agent.
        pairs: int  Pairs of agents, both of one part.
        resolved_pairs: int  Those whose order is certain.
        unique_ranks: int  Agents with one rank only.
        groups: [[str]]  Tie groups, best first.""",
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
}

DOCUMENTS = {
    "anytime_board": """A board that holds at every look at once.
        level: num  The confidence.
        battles: int  Battles that were told.
        ranks: [AnytimeRow]  Agents, best first.
        above: [[str]]  Pairs of agents, the first certainly above the second.
        sentences: [str]  The same in words.""",
    "resolution": """What the data resolve: a board; what else there is depends on what was asked.
        answer: str  The short answer, fit for a title.
        estimand: str  What a score is.
        ranks: {Rank}  By agent, best first.
        pairs: int  Pairs of agents, both of one part.
        resolved_pairs: int  Those whose order is certain.
        unique_ranks: int  Agents with one rank only.
        groups: [[str]]  Tie groups, best first.
        skipped?: int  Of agents compared pair by pair: differences without a usable variance.
        borderline?: int  Differences that another seed might decide otherwise; where ranks are all there is.
        cycles?: @cycles  Of agents compared pair by pair: which circles survive the noise.
        bradley_terry?: BradleyTerry  Of agents compared pair by pair: whether one scale is fair.
        unmet?: int  Of what holds at every look: pairs that never met.
        beats?: [[str]]  Of what holds at every look: pairs of agents, the first certainly winning more often than it loses.
        e_value?: num?  Of two agents at every look: what betting against their being equal has made of one; null for more.
        parts?: int  Of long boards: parts that no chain of battles connects.
        by?: str  Of contexts: the column that tells them apart.
        mix?: {num}  Of contexts: weights of the mixture, whose board this is, adding up to one.
        spread?: Spread  Of contexts: how far strengths in them lie about their mean: in log odds, or in the unit of the scores.
        dispersion?: num  Of contexts: by which counts were divided, as outcomes vary more or less than those of decided, independent battles.
        covariates?: {CovariateEffect}  Of contexts: what each covariate adds to the log odds, by name.
        contexts?: {ContextBoard}  The board of every context.
        first_by_mixture?: FirstByMixture?  How first place changes between two contexts, where two are mixed.
        first_over_mixtures?: FirstOverMixtures?  How first place depends on the mixture, where there are three contexts or more.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into win rates or scores.
        notes: [str]  What a reader must know.
        tiers?: @tiers  The tiers asked for, on the command line.
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
}
