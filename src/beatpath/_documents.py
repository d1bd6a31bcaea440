"""What every JSON document of this package holds, one line a field: ``name: type  what it is``.

A name that ends in ``?`` need not be there. Types are ``str``, ``int``, ``num``, ``bool`` and ``any``; ``T?`` may be null, ``[T]``
is a list, ``{T}`` maps texts to *T*, ``a|b`` is one of these words, ``=a`` this word, ``Name`` a part described below, ``@name`` another document.
Every document also has ``schema_version`` and ``type``, and may have ``sentences``, what was found in words.
`beatpath._schema` makes JSON Schemas of this.
"""

PARTS = {
    "Convention": """A choice by which evidence became comparisons.
        name: str  Its name, such as ties.
        value: str  What was chosen.
        meaning: str  What that means, in words.
        affected: num?  How much evidence it touched, where that was counted.""",
    "Reading": """What became of the rows that were read.
        sources: [str]  Files, frames or queries.
        format: str  The format they were read as.
        rows_read: int  Rows there were.
        rows_used: int  Rows that became evidence.
        dropped: {int}  Rows left out, by reason.
        guessed: {str}  Columns taken for a role by their names, by role.
        given: {str}  Columns named for a role, by role.
        unused: [str]  Columns without a role.
        notes: [str]  What a reader must know.""",
    "Condorcet": """Who beats all others head to head.
        strong: str?  The agent that beats every other.
        weak: [str]  The agents that lose to nobody.""",
    "Result": """The ranking of one of several methods.
        method: str  The method's key.
        levels: [[str]]  Agents best first; those of one level are tied.
        scores: {num?}  By agent, null where the method gives none.
        status: str  How the method ended.
        settings: {any}  What it was told.
        details: {any}  What else it has to say.
        conventions: [Convention]  What turned the evidence into what the method takes.""",
    "BoardScore": """An agent's score.
        agent: str  Its name.
        part: int  The part of the agents it belongs to; those of different parts are not compared.
        score: num?  Its score, null where it has none.
        stderr: num?  The standard error of that.
        df: num?  Degrees of freedom of it; null where it is known.""",
    "PairRate": """How often an agent beat another.
        agent: str  The agent.
        rival: str  The other.
        rate: num  The share of the weight won, ties half.
        stderr: num?  The standard error of that, null where two-way clustering leaves none.
        df: num?  Degrees of freedom of it; null where it is known.
        weight: num  Of all their battles.
        battles: int  How many these were.""",
    "Mover": """How far an agent moves between methods.
        agent: str  The agent.
        best: int  Its best rank by any method.
        worst: int  Its worst.""",
    "Votes": """How diverse the voters are.
        total: int  Votes cast.
        distinct: int  Different ones among them.
        diversity: num?  The share that is different.
        histogram: {int}  How many votes were cast so often.""",
    "Finding": """One check and what it found.
        name: str  Of the check.
        status: passed|warning|failed|not run  Whether it passed.
        sentence: str  What was found.
        consequence: str  What that does to an answer, empty where nothing.
        figures: {any}  The numbers behind it.""",
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
    "AnytimeRow": """An agent of a board that holds at every look at once.
        agent: str  The agent.
        rank_low: int  The best rank it may have.
        rank_high: int  The worst.
        win_rate: num  Mean win rate against all others.""",
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
    "FirstBefore": """Who may be first on two boards.
        before: [str]  On the old one.
        after: [str]  On the new one.""",
    "ClaimChange": """A claim on two boards.
        claim: str  As it was put.
        status: kept|lost|gained|not supported  What became of it.
        before: bool  Whether the old board carries it.
        after: bool  Whether the new one does.
        sentence: str  The same in words.""",
    "DiffRow": """What became of one agent.
        agent: str  The agent.
        change: rose|fell|open|entered|left  Certainly up, certainly down, not certain, new, gone.
        old_tier: int?  From the top.
        old_best: int?  The best rank it might have had.
        old_worst: int?  The worst.
        old_best_of_both: int?  The best among the agents of both boards.
        old_worst_of_both: int?  The worst among them.
        old_score: num?  Its score.
        new_tier: int?  From the top.
        new_best: int?  The best rank it may have.
        new_worst: int?  The worst.
        new_best_of_both: int?  The best among the agents of both boards.
        new_worst_of_both: int?  The worst among them.
        new_score: num?  Its score.""",
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
    "Strength": """A strength on one scale.
        strength: num  In log odds.
        standard_error: num  Of the strength.""",
    "Residual": """A pair that one scale fits badly.
        agent: str  Who wins more than predicted.
        rival: str  Against whom.
        battles: int  How many battles they had.
        observed: num  Share won.
        predicted: num  Share that one scale predicts.
        z: num  Their difference in standard errors.""",
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
    "Sentence": """A sentence of the verdict.
        sentence: str  The words.
        mark: resolved|not resolved|unknown  Whether the data settle it.
        evidence: str  The section its numbers stand in.""",
    "BoardRow": """What a report says of one agent.
        agent: str  The agent.
        rank: int?  By score.
        best: int?  The best rank it may have.
        worst: int?  The worst.
        score: num?  Its score.
        low: num?  Lower end of its interval.
        high: num?  Upper end.
        group: int?  Equal for agents whose order is not certain.
        tier: int?  From the top: everyone of a lower tier is certainly below its leader; 1 is first.
        letters: str?  Run together: agents of one part that share none certainly differ.
        part: int?  Agents of different parts were never compared.
        core: num?  Probability to be in the top cycle.
        battles: int?  How many it had.
        ranks: {int}  Its rank by every method.""",
    "PairTable": """Columns, one entry a pair; agents by their place on the board.
        a: [int]  The better placed.
        b: [int]  The other.
        rate: [num?]  Share that *a* won.
        battles: [int]?  How many they had.
        low: [num?]?  Lower end of the share's interval.
        high: [num?]?  Upper end.
        resolved: [bool]?  Whether the interval leaves out one half.
        predicted: [num?]?  The share that one scale predicts.""",
    "Robustness": """What would change who is first.
        sentences: [str]  In words.
        removals: @influential_set?  The fewest battles whose removal does.
        left_out: [@leave_one_out]  Tasks and judges left out in turn.
        clones: @clones?  A copy of the leader.""",
    "OverTime": """What changes with time.
        sentences: [str]  In words.
        periods: int  Of equal length, in which a strength is taken as one.
        curves: [StrengthCurve]  Of the leading agents.""",
    "StrengthCurve": """An agent's strength over time.
        agent: str  Whose.
        points: [StrengthPoint]  One a period in which it met anyone.""",
    "StrengthPoint": """A strength at a time.
        time: num  As the battles have it; dates in seconds since 1970.
        strength: num  In log odds.
        low: num  Lower end of its interval.
        high: num  Upper end.""",
    "Plan": """What to play next.
        sentences: [str]  In words.
        leaders: @sample_size?  Battles that would part the two leaders.""",
    "Interval": """An estimate and its interval.
        estimate: num?  The estimate.
        low: num?  Lower end.
        high: num?  Upper end.""",
    "Turn": """Votes of one judge that make another agent first.
        votes: int?  So many are enough; null where all of them are not.
        rival: str?  Who is first then.""",
    "Judge": """One judge.
        name: str  Of the judge.
        votes: int  For either side.
        ties: int  Ties called.
        reliability: Interval?  How closely its votes follow the lead by the others: 1 as they do, 0 not at all.
        weight: num  What one of its votes tells of strengths; the mean over votes is 1.
        shifts: {Interval}  Share of votes between equal agents for the side shown first, its kin, or more of a covariate.
        first_without: [str]  Who is first without its votes.
        distance: num?  Kendall distance between the orders with and without it.
        dropped: Turn?  Its votes that, left out, make another first.
        turned: Turn?  Its votes that, turned round, make another first.
        alarms: [str]  What falls out, at one error for all judges.""",
    "PairAgreement": """Two judges on the units that both judged.
        judges: [str]  Their names.
        units: int  In common.
        kappa: Interval  Cohen's kappa.""",
    "Agreement": """Judges of the same units.
        units: int  With two judges or more.
        share: num?  Of pairs of verdicts that agree.
        alpha: Interval  Krippendorff's alpha.
        fleiss: Interval  Fleiss' kappa.
        pairs: [PairAgreement]  Every two judges, lowest first.
        accuracy: {Interval}  By judge, the probability of the true verdict by Dawid and Skene.""",
    "HeldOut": """Mean log loss of votes held out.
        plain: num  With all judges alike.
        aware: num  With a reliability for each.
        gain: num  Plain less aware.
        standard_error: num  Of the gain.
        votes: int  Predicted.
        verdict: plain|aware|alike  Which predicts better, at two standard errors.""",
    "Context": """The same questions asked of one task or other context.
        name: str  Of the context.
        size: str  How much evidence it has.
        verdict: [Sentence]  Its own verdict.
        board: [BoardRow]  Its own board.""",
    "Provenance": """What somebody needs to make the same report again.
        sources: {str}  SHA-256 of every file read, or of the counts.
        version: str  Of beatpath.
        libraries: {str}  Versions of Python and of what computes.
        command: str  The command line or the call.
        seed: int  Of everything simulated.
        settings: {any}  What the report was told.
        conventions: [Convention]  What turned evidence into comparisons.""",
    "Removed": """Battles or other units that were removed.
        count: int  So many.
        agent?: str  That this agent
        rival?: str  had against this one,
        outcome?: str  with this outcome,
        level?: str  in this level of a column.""",
    "LeftOut": """The ranking without one level.
        name: str  The level.
        levels: [[str]]  Agents best first.
        winners: [str]  Who is first.
        changes_winner: bool  Whether these are others than before.
        distance: num?  Kendall distance to the full ranking.
        why_not: str?  Why there is no answer.""",
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
    "RunScore": """A measure of the runs of an agent.
        agent: str  The agent.
        measure: str  What is measured.
        score: num  Its value.
        low: num?  Lower end on these tasks, had other runs been made.
        high: num?  Upper end.
        like_low: num?  Lower end on tasks like these.
        like_high: num?  Upper end.""",
    "Improvement": """How probably a run of one agent is above one of another.
        first: str  The one.
        second: str  The other.
        probability: num  On the same task, ties half.
        low: num?  Lower end on these tasks, had other runs been made.
        high: num?  Upper end.
        like_low: num?  Lower end on tasks like these.
        like_high: num?  Upper end.""",
    "MeanRank": """The mean rank of an agent over tasks.
        agent: str  The agent.
        mean_rank: num  1 is best.""",
    "RankTest": """Two agents, and the tests that they do not differ.
        first: str  The one with the better mean rank.
        second: str  The other.
        first_rank: num  Its mean rank.
        second_rank: num  That of the other.
        nemenyi_p: num  By Nemenyi.
        wilcoxon_p: num  By Wilcoxon, this pair alone.
        holm_p: num  By Wilcoxon, adjusted by Holm for all pairs.""",
    "Cloned": """One method without and with the copy.
        method: str  Its key.
        before: [str]  The winners.
        after: [str]  The winners with the copy, which stands under the name of its original.
        winner_changes: bool  Whether they differ.
        distance: num  Kendall distance between the two orders of the others.
        promised: bool  Whether the method is known to be independent of clones.""",
    "Pair": """Battles to play.
        a: str  Between this agent
        b: str  and this one,
        battles: int  so many.""",
    "Battles": """A number of battles and its interval; null beyond any limit.
        number: num?  The number.
        fewest: num?  Its lower end.
        most: num?  Its upper end.""",
    "Flow": """What share of the win rates runs along one scale and in circles.
        gradient: num  Along one scale.
        cyclic: num  In circles.
        curl: num  In circles of three.
        harmonic: num  In longer circles.
        noise: num  Of the cyclic share, what noise alone would give.""",
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
    "Bin": """Chances of about one size.
        low: num  From
        high: num  to.
        said: num  Their mean.
        came: num  How often they came true.
        weight: num  How many they are.""",
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
    "MethodRow": """A method.
        method: str  Its key.
        what it does: str  In a sentence.
        answers: str  The question it answers.
        takes: str  The kinds of evidence.
        condorcet: yes|  Whether it elects a Condorcet winner.
        clone: yes|  Whether it is independent of clones.
        population: yes|  Whether it is population consistent.
        agenda: yes|  Whether it is agenda consistent.
        iia: yes|  Whether it is independent of irrelevant alternatives.
        cost: str  How it grows.
        settings: str  What it can be told.""",
    "FormatRow": """A format that is read.
        format: str  Its name.
        what: str  What it is.""",
    "LayoutRow": """A layout of a table.
        layout: str  Its name.
        required: str  Roles that columns must have.
        optional: str  Roles that they may have.""",
    "Line": """A number of a paper beside ours.
        what: str  What it is.
        published: any  The paper's.
        ours: any  Ours.
        agrees: bool?  Whether they agree; null where nothing was asked.
        note: str  What to know.""",
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
    "arena_status": """Where an arena stands.
        level: num  The confidence.
        battles: int  Battles that were told.
        ranks: [AnytimeRow]  Agents, best first.
        above: [[str]]  Pairs of agents, the first certainly above the second.
        sentences: [str]  The same in words.
        goal: str  What it is for.
        done: bool  Whether that is settled.
        reason: str  Why, or what is missing.
        battles_left: int?  About how many more it takes; null where nobody can say.
        pending: int  Battles that are out.""",
    "ranking": """The answer of one method.
        method: str  The method's key.
        levels: [[str]]  Agents best first; those of one level are tied.
        scores: {num?}  By agent, null where the method gives none.
        status: str  How the method ended.
        settings: {any}  What it was told.
        details: {any}  What else it has to say.
        condorcet: Condorcet  Who beats all others.
        conventions: [Convention]  What turned the evidence into what the method takes.""",
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
    "check": """Whether data can carry a conclusion.
        kind: str  Of evidence.
        agents: [str]  By name.
        summary: {any}  How much there is.
        findings: [Finding]  What was checked.
        settings: {num}  The limits that were applied.
        conventions: [Convention]  What the checks themselves assume.
        reading: Reading?  What became of the rows.""",
    "finding": """One check and what it found.
        name: str  Of the check.
        status: passed|warning|failed|not run  Whether it passed.
        sentence: str  What was found.
        consequence: str  What that does to an answer, empty where nothing.
        figures: {any}  The numbers behind it.""",
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
    "diff": """What changed between two boards.
        estimand: str  What a score is.
        level: num  With which each board holds.
        joint_level: num  With which all that is said of both holds at once, at least.
        simultaneous: bool  Whether each board holds all at once, or agent by agent.
        rose: [str]  Agents whose possible ranks all lie above those before.
        fell: [str]  Agents whose possible ranks all lie below those before.
        entered: [str]  Agents of the new board alone.
        left: [str]  Agents of the old board alone.
        may_be_first: FirstBefore  Who may be first.
        agents: [DiffRow]  One an agent of either board.
        kept_pairs: int  Pairs of agents of both boards whose order both call certain.
        lost_pairs: [[str]]  The first was certainly above the second and is not any more.
        gained_pairs: [[str]]  The first is certainly above the second and was not.
        turned_pairs: [[str]]  The first is certainly above the second and was certainly below.
        claims: [ClaimChange]  The claims asked about.""",
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
    "strength_curves": """How strong every agent was when.
        sentences: [str]  Who is strongest, who changed most.
        drift: num  Standard deviation of what an agent changes in a unit of time, in log odds.
        prior: num  Wins and losses against an agent of strength zero at a first battle.
        level: num  Probability of the intervals.
        joint: bool  Whether intervals carry the uncertainty of the opponents.
        status: str  How it ended.
        tried: [any]  Drifts that were tried, and the log loss of later battles under each.
        current: [any]  Every agent's strength at its last battle, with its interval.
        curves: [any]  The points of every agent's curve.""",
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
    "influential_set": """The fewest units whose removal changes the answer.
        method: str  What ranks.
        unit: str  What is removed.
        total: int  How many units there are.
        needed: int?  The fewest found; null where nothing does.
        share: num?  Their share.
        at_least: int?  So many are certainly needed.
        exact: bool  Whether fewer are proven not to do.
        verified: bool  Whether the method, run again, says so.
        above: str?  Who passes
        below: str?  whom.
        named: bool  Whether the two were asked for.
        before: [str]  The winners of all the evidence.
        after: [str]  The winners without what is removed.
        removed: [Removed]  What is removed, most first.
        within: [str]?  The column and level removals were confined to.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned evidence into what the method takes.""",
    "leave_one_out": """The ranking without each level of a column.
        by: str  The column, or agent.
        ranking: @ranking  Of everything.
        left_out: [LeftOut]  One a level.
        change_winner: [str]  Levels without which others are first.
        change_order: [str]  Levels without which some order changes, most first.""",
    "judges": """Every judge held against the others.
        level: num  Of intervals; alarms together are false with what is left to 1.
        agents: [str]  Best first with all judges alike.
        judges: [Judge]  Those that fall out first.
        strengths: {num}  By agent, log odds with all judges alike.
        aware: {num}  By agent, log odds with a reliability for each judge.
        spread: num  Standard deviation of reliability over judges.
        agreement: Agreement?  On units judged by several.
        held_out: HeldOut?  Whether knowing the judges predicts better.
        settings: {any}  What it was told.
        reading?: Reading?  What became of the rows, on the command line.""",
    "clones": """What a copy of an agent does to each method.
        agent: str  The agent.
        copy: str  The name of the copy.
        methods: [Cloned]  One a method.
        not_run: {str}  Methods without an answer, and why.""",
    "aa_test": """How often an agent seems better than itself.
        agent: str  Whose battles were split.
        rounds: int  How often.
        claimed: int  Rounds in which a difference was claimed.
        share: num  Their share.
        level: num  Of confidence.
        chance: num?  How probable so many claims are.
        kept: bool?  Whether the level is kept.
        clusters: num?  That were split.
        settings: {any}  What was chosen.""",
    "winners_curse": """How much of a lead is the luck of having been chosen.
        selected: str  The agent chosen from the family.
        tested: int  How many were tried.
        rival: str?  Whom it leads.
        lead: num  By how much.
        explained: num?  The share that luck explains.
        luck: num  The lead that luck alone would give.
        corrected: num  The lead without the luck.
        low: num  Lower end of its interval.
        high: num  Upper end.
        level: num  Of the interval.
        resolved: bool  Whether the interval leaves out zero.
        family: [str]  Those it was chosen from.
        settings: {any}  What was chosen.""",
    "runs": """Three looks at the runs of a table.
        scores: @run_scores  Measures side by side.
        profile: @performance_profile  The share of runs above every value.
        differences: @critical_differences?  Mean ranks, where there are two tasks.
        reading?: Reading?  What became of the rows.""",
    "run_scores": """Measures of runs side by side.
        scores: [RunScore]  One an agent and measure.
        improvements: [Improvement]  One a pair, where agents are few enough.
        tasks: int  That all agents were run on.
        level: num  Of each interval by itself.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned the table into runs.
        notes: [str]  What a reader must know.""",
    "performance_profile": """The share of runs above every value.
        agents: [str]  In the order of the rows.
        tau: [num]  The values.
        share: [[num]]  Of the runs of every agent above each.
        low: [[num]]  Lower ends of the intervals.
        high: [[num]]  Upper ends.
        level: num  Of each interval by itself.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned the table into runs.
        notes: [str]  What a reader must know.""",
    "critical_differences": """Mean ranks, and the tests of Demsar's practice.
        agents: [MeanRank]  One an agent.
        tasks: int  That all agents have a score on.
        friedman: num  Friedman's statistic, corrected for ties.
        friedman_p: num  Its p-value.
        iman_davenport: num?  Iman and Davenport's statistic; null where all tasks agree.
        iman_davenport_p: num  Its p-value.
        critical_difference: num  Of mean ranks, by Nemenyi.
        pairs: [RankTest]  One a pair.
        level: num  Of the tests.
        settings: {any}  What was chosen.
        conventions: [Convention]  What turned the table into scores.
        notes: [str]  What a reader must know.""",
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
    "report": """Everything that was asked of one body of evidence.
        title: str  Of the report.
        answer: Sentence  The short answer, fit for a title.
        size: str  How much evidence there is.
        level: num  Of whatever is called certain.
        verdict: [Sentence]  What comes first.
        board: [BoardRow]  One row an agent, best first.
        pairs: PairTable  Everyone against everyone.
        check: @check  Whether the data can carry it.
        comparison: @comparison?  Methods side by side.
        core: @core?  The core.
        resolution: @resolution?  What the data resolve.
        tiers: @tiers?  The tiers that the board shows.
        robustness: Robustness  What would change the answer.
        plan: Plan  What to play next.
        contexts: [Context]  Every task or other context by itself.
        mixtures: @context_resolution?  Contexts drawn together, and how first place depends on their mixture.
        judges: @judges?  Every judge held against the others.
        runs: @runs?  What the runs of a table say, where agents have several on a task.
        over_time: OverTime?  Strengths of the leading agents as curves, where battles have times.
        witnesses: {[str]}  Why agents are in the core or not.
        not_run: {str}  Questions without an answer, and why.
        provenance: Provenance  Where it comes from.
        citations: [str]  The papers behind it.""",
    "methods": """The methods there are.
        methods: [MethodRow]  One a method.""",
    "formats": """The formats that are read.
        formats: [FormatRow]  One a format.
        layouts: [LayoutRow]  One a layout of a table.""",
    "convert": """What was written.
        out: str  The file.
        kind: str  Of evidence.
        agents: int  In it.
        lost: [str]  What the file cannot hold.
        conventions: [Convention]  What turned the evidence into this kind.
        reading: Reading?  What became of the rows.""",
    "reproduction": """A table of a paper beside ours.
        title: str  Of the reproduction.
        lines: [Line]  One a number.""",
}

VERBS = {
    "check": ("check",),
    "rank": ("comparison",),
    "core": ("core", "cores"),
    "resolve": ("resolution", "long_board", "anytime_resolution", "context_resolution", "rank_sets"),
    "report": ("report",),
    "diff": ("diff",),
    "judges": ("judges",),
    "runs": ("runs",),
    "methods": ("methods",),
    "formats": ("formats",),
    "convert": ("convert",),
    "reproduce": ("reproduction",),
    "arena": ("arena_status",),
}
