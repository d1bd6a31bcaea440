"""What `diff` prints."""

PARTS = {
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
}

DOCUMENTS = {
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
}
