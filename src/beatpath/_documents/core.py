"""What `core` prints, and cores by other ways."""

PARTS = {
    "CoreSet": """A tournament solution.
        members: [str]  Who is in it by majority.
        scores: {num?}  Soft membership by agent, from 0 to 1.""",
    "MostProbable": """The most probable core.
        members: [str]  Its agents.
        probability: num  Its probability.""",
    "Posterior": """How probably each agent is in the top cycle, as far as the counts say.
        top_cycle: {num}?  By agent; null without counts.
        most_probable?: MostProbable?  The most probable set.
        size?: {num}  Probability of every size of the set.
        worlds?: {num}  Posterior probability of each kind of world.
        status?: str  What was cut short.
        settings?: {any}  What was fitted to the counts.""",
    "Undetermined": """A solution that hangs on pairs that never met.
        solution: str  Which.
        sure: [str]  Members whatever these pairs would say.
        undetermined: [str]  Agents whose membership is open.
        pairs: [[str]]  The pairs to play.
        sentence: str  The same in words.""",
    "Scaling": """One temperature for all log odds.
        temperature: num?  The best; null beyond any limit.
        before: num?  Log loss without it.
        after: num?  Log loss with it.""",
    "CoreDraws": """An agent's membership over all draws.
        membership: num  Share of draws in which it was a member.
        mean: num  Mean soft score.
        low: num  Lower end of the score's interval.
        high: num  Upper end.""",
    "Path": """A chain of wins.
        agents: [str]  From the first to the last.
        margins: [num]  By how much each beat the next.
        played: [bool]  Whether the two met.
        resolved: [bool]?  Whether the sign of each is resolved, where margins are of estimated win rates.
        strength: num?  The smallest margin.""",
    "Witness": """Why an agent is in a set, or is not.
        agent: str  The agent.
        member: bool  Whether it is.
        sentence: str  Why.
        paths?: [Path]  Chains of wins to all others.
        unreached?: [str]  Agents to which no chain leads.
        coverer?: str  Who covers it.
        margin?: num  By how much the coverer beats it.
        beaten?: [str]  Everyone it beats.
        losses?: [str]  Everyone the coverer loses to.
        resolved?: bool?  Whether that the coverer beats it is resolved, where win rates are estimated.
        answers?: [Path]  How it answers those that beat it.""",
}

DOCUMENTS = {
    "core": """The agents that nobody stands above.
        top_cycle: CoreSet  The Smith set.
        uncovered_set: CoreSet  The uncovered set.
        posterior: Posterior  How surely.
        win_rate: {num?}  Mean win rate of each agent, or the share of its comparisons won.
        win_rate_is: str  Which of these.
        pairs: int?  Pairs with a margin.
        unresolved_pairs: int?  Those whose sign is not resolved, where win rates are estimated.
        bradley_terry: {num?}?  Strengths; null for an agent without a finite one.
        undetermined: [Undetermined]  What hangs on pairs that never met.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into edges.
        notes: [str]  What a reader must know.
        witness?: [Witness]  Why the agent asked about is in each set, or is not.
        reading?: Reading?  What became of the rows, on the command line.""",
    "cores": """A core for every level of a column.
        by: str  The column.
        contexts: {@core}  By level.
        comparisons: {num}  How much evidence each has.
        mixture: @core?  The core of the levels as weighed.
        weights: {num}?  Their weights.
        notes: [str]  What a reader must know.
        reading?: Reading?  What became of the rows, on the command line.""",
    "core_posterior": """How probably each agent is in the top cycle.
        top_cycle: {num}  By agent.
        most_probable: MostProbable  The most probable set.
        size: {num}  Probability of every size of the set.
        worlds: {num}  Posterior probability of each kind of world.
        status: str  What was cut short.
        settings: {any}  What was fitted to the counts.""",
    "core_bootstrap": """Cores of counts drawn again and again.
        top_cycle: {CoreDraws}  By agent.
        uncovered_set: {CoreDraws}  By agent.
        device: str  Where it was computed.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into edges.""",
    "learned_core": """The core of tournaments that were learned from battles.
        agents: [str]  In the order of every list.
        core: @core  The core of the learned tournament.
        probability: [[num?]]  Of the row to beat the column.
        monte_carlo_error: num?  Of the probabilities.
        status: str  How the training ended.
        kept: int  The epoch whose parameters were kept.
        history: [{any}]  One record an epoch.
        reliability: @reliability?  How well chances came true on battles held out.
        scaling: Scaling?  What one temperature would mend.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into battles.""",
}
