"""What would change an answer."""

PARTS = {
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
    "Cloned": """One method without and with the copy.
        method: str  Its key.
        before: [str]  The winners.
        after: [str]  The winners with the copy, which stands under the name of its original.
        winner_changes: bool  Whether they differ.
        distance: num  Kendall distance between the two orders of the others.
        promised: bool  Whether the method is known to be independent of clones.""",
}

DOCUMENTS = {
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
}
