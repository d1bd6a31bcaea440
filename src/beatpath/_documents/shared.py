"""Parts that documents of several files hold."""

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
    "AnytimeRow": """An agent of a board that holds at every look at once.
        agent: str  The agent.
        rank_low: int  The best rank it may have.
        rank_high: int  The worst.
        win_rate: num  Mean win rate against all others.""",
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
}
