"""What `report` prints."""

PARTS = {
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
}

DOCUMENTS = {
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
        mixtures: @resolution?  Contexts drawn together, and how first place depends on their mixture.
        judges: @judges?  Every judge held against the others.
        runs: @runs?  What the runs of a table say, where agents have several on a task.
        over_time: OverTime?  Strengths of the leading agents as curves, where battles have times.
        witnesses: {[str]}  Why agents are in the core or not.
        not_run: {str}  Questions without an answer, and why.
        provenance: Provenance  Where it comes from.
        citations: [str]  The papers behind it.""",
}
