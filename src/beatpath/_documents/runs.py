"""What `runs` prints, and the measures it is made of."""

PARTS = {
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
}

DOCUMENTS = {
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
}
