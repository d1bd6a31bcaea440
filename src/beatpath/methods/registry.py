"""The methods there are: key, sentence, what each takes, its properties and cost.

Properties are those of VasE Table 4, ``condorcet``, ``clone``, ``population``, ``agenda``, ``iia``, each as a law about
winners (``iia``: about the order of two agents). Where VasE grants one to lotteries, or to fixed marks, theory pages say so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion

RANKINGS = frozenset({"ballots", "scores"})
PAIRWISE = frozenset({"ballots", "scores", "battles", "pairs", "margins", "win_rates"})
COUNTED = PAIRWISE - {"margins"}  # wins and losses apart
PROPERTIES = ("condorcet", "clone", "population", "agenda", "iia")
QUESTIONS = {
    "strength": "how well an agent does against all others",
    "order": "which order the wins of agents over each other support",
    "mixture": "which agents a mixture needs that nobody beats",
    "places": "who stands highest on the most votes",
}
TRAITS = {*PROPERTIES, *QUESTIONS, "compares", "scales", "passes", "by_name"}


@dataclass(frozen=True)
class Method:
    """One method: where it lives, one sentence, what it takes, its cost and its traits.

    Parameters
    ----------
    home : str
        Module and function, such as ``"voting.pairwise:schulze"``. The function takes a `Profile` and settings as keyword
        arguments, and returns an `Outcome`.
    sentence : str
        What the method does, after its name.
    complexity : str
        What it costs.
    traits : str
        Words, parted by spaces: the `PROPERTIES` that it has; the key of `QUESTIONS` that it answers, "order" if none is named;
        "compares" where it reads nothing but who is above whom in each pair and by how much, so that it can be run on
        estimated win rates too; "scales" where it looks at ballots or at pairs that met alone, so that tens of thousands of
        agents are not too many; "passes" where it looks once at each ballot or battle, so that a million are not; "by_name"
        where it runs only when it is named.
    takes : frozenset of str
        Kinds of evidence; all that say who beat whom, unless told otherwise.
    key : str
        Its name, if that is not the function's.
    """

    home: str
    sentence: str
    complexity: str
    traits: str = ""
    takes: frozenset[str] = PAIRWISE
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.home.partition(":")[2])
        unknown = set(self.traits.split()) - TRAITS
        if unknown:
            raise ValueError(f"traits of {self.key} must be among {sorted(TRAITS)}; got {sorted(unknown)}.")

    @property
    def properties(self) -> frozenset[str]:
        """The properties it has."""
        return frozenset(self.traits.split()).intersection(PROPERTIES)

    @property
    def asks(self) -> str:
        """The key of the question that it answers."""
        return next((trait for trait in self.traits.split() if trait in QUESTIONS), "order")

    @property
    def question(self) -> str:
        """What the method answers, in words.

        >>> METHODS["bradley_terry"].question
        'how well an agent does against all others'
        """
        return QUESTIONS[self.asks]

    @property
    def compares(self) -> bool:
        """Whether it reads nothing but who is above whom in each pair and by how much."""
        return "compares" in self.traits.split()

    @property
    def scales(self) -> bool:
        """Whether tens of thousands of agents are not too many."""
        return "scales" in self.traits.split()

    @property
    def passes(self) -> bool:
        """Whether a million ballots or battles are not too many."""
        return "passes" in self.traits.split()

    @property
    def by_name(self) -> bool:
        """Whether it runs only when it is named."""
        return "by_name" in self.traits.split()

    @property
    def settings(self) -> tuple[str, ...]:
        """The keyword arguments of its function.

        >>> METHODS["nash_averaging"].settings
        ('against',)
        """
        return tuple(signature(self.function()).parameters)[1:]

    def function(self) -> Callable[..., Any]:
        """Load the method's own module and return its function."""
        module, _, name = self.home.partition(":")
        function: Callable[..., Any] = getattr(import_module(f"beatpath.methods.{module}"), name)
        return function


_ALL = (
    Method(
        "voting.scoring:plurality",
        "counts how often an agent is ranked first",
        "O(votes)",
        "places population scales passes",
        RANKINGS,
    ),
    Method(
        "voting.scoring:approval",
        "counts how often an agent is among the first k",
        "O(votes k)",
        "places population scales passes",
        RANKINGS,
    ),
    Method(
        "voting.scoring:borda",
        "adds up the number of agents ranked below, over all votes",
        "O(votes m)",
        "strength population scales passes",
        RANKINGS,
    ),
    Method(
        "voting.scoring:black",
        "puts the agent that beats all others first, if there is one, and ranks the rest by Borda",
        "O(votes m^2)",
        "condorcet",
        RANKINGS,
    ),
    Method(
        "voting.runoff:coombs",
        "takes out who is ranked last most often, until one is first on most votes",
        "O(votes m^2)",
        "places by_name",
        RANKINGS,
    ),
    Method(
        "voting.runoff:tideman_alternative",
        "keeps the Smith set, and by turns takes out who is first on the fewest votes",
        "O(votes m^2)",
        "condorcet clone by_name",
        RANKINGS,
    ),
    Method(
        "voting.scoring:bucklin",
        "counts how many places it takes until an agent is within them on most votes",
        "O(votes m)",
        "places by_name",
        RANKINGS,
    ),
    Method(
        "voting.scoring:majority_judgment",
        "compares agents by their median grade, then by the grades around it",
        "sorting the table",
        "strength by_name",
        frozenset({"scores"}),
    ),
    Method(
        "voting.stv:stv",
        "elects who reaches a quota and transfers the rest, eliminating the last",
        "O(votes m^2)",
        "places",
        RANKINGS,
    ),
    Method(
        "voting.pairwise:copeland",
        "counts the rivals an agent beats head to head, ties half",
        "O(m^2)",
        "condorcet compares scales passes",
    ),
    Method(
        "voting.pairwise:minimax",
        "prefers the agent whose worst head-to-head defeat is smallest",
        "O(m^2)",
        "condorcet compares",
    ),
    Method(
        "voting.pairwise:schulze",
        "compares agents by the strongest path of wins between them",
        "O(m^3)",
        "condorcet clone compares",
    ),
    Method(
        "voting.locking:ranked_pairs",
        "locks in wins from the largest down, skipping those that would close a circle",
        "O(m^3)",
        "condorcet clone compares",
    ),
    Method(
        "voting.pairwise:split_cycle",
        "drops from every circle its weakest win, and lets what remains decide",
        "O(m^3)",
        "condorcet clone compares",
    ),
    Method(
        "voting.runoff:nanson",
        "takes out all whose margins add up to less than nothing, round by round",
        "O(m^3)",
        "condorcet compares by_name",
    ),
    Method(
        "voting.runoff:baldwin",
        "takes out the agent whose margins add up to the least, one at a time",
        "O(m^3); all ways of breaking ties, up to 2,000 sets",
        "condorcet compares by_name",
    ),
    Method(
        "voting.locking:river",
        "locks in wins from the largest down, one over each loser, and elects where they spring from",
        "O(m^3 log m)",
        "condorcet clone compares by_name",
    ),
    Method(
        "voting.pairwise:stable_voting",
        "elects who is undefeated and would win without the rival it beats most clearly",
        "exponential in circles; up to 2,000 sets, then Split Cycle",
        "condorcet compares by_name",
    ),
    Method(
        "kemeny.kemeny:kemeny",
        "finds the order that agrees with the most pairwise preferences",
        "NP-hard; exact by components, dynamic programming and cuts",
        "condorcet compares",
    ),
    Method(
        "voting.lotteries:maximal_lottery",
        "draws an agent so that no other draw is preferred on average",
        "a linear program",
        "mixture condorcet clone compares",
    ),
    Method(
        "voting.lotteries:iml",
        "takes the maximal lottery's agents out, level by level",
        "at most m linear programs",
        "mixture condorcet clone agenda compares",
    ),
    Method(
        "game.payoffs:nash_averaging",
        "scores agents against the hardest mixture of rivals or tasks",
        "a linear program and a convex one",
        "mixture compares",
    ),
    Method(
        "game.payoffs:deviation",
        "asks what an agent would gain against the mixture that lets everyone gain least",
        "at most m linear programs",
        "mixture condorcet compares by_name",
        key="deviation_ratings",
    ),
    Method(
        "game.correlated:payoff",
        "asks what an agent gets where an equilibrium of the game among agents plays it",
        "a linear program and a convex one over all pairs",
        "mixture by_name",
        frozenset({"scores"}),
        key="payoff_ratings",
    ),
    Method(
        "game.alpha_rank:alpha_rank",
        "follows a population that drifts to whoever does better",
        "O(m^3), one linear system",
        "mixture compares",
    ),
    Method(
        "rating.elo:elo",
        "moves ratings battle by battle, in the order of time, by what came unexpected",
        "O(battles)",
        "strength scales passes",
        frozenset({"battles"}),
    ),
    Method(
        "rating.glicko2:glicko2",
        "moves ratings period by period, the further the less sure they are, and says how sure",
        "O(battles)",
        "strength scales passes by_name",
        frozenset({"battles"}),
    ),
    Method(
        "rating.weng_lin:weng_lin",
        "moves ratings battle by battle, or game by game of several, by a Bayesian step, and says how sure they are",
        "O(battles)",
        "strength scales passes by_name",
        frozenset({"ballots", "battles"}),
    ),
    Method(
        "rating.whole_history.whole_history:whole_history",
        "fits strengths that change with time to all battles at once, and ranks by the last",
        "Newton, each step a few sweeps over agents' times",
        "strength by_name",
        frozenset({"battles"}),
    ),
    Method(
        "rating.centrality:rank_centrality",
        "follows a walk that moves on to whoever wins",
        "one linear system, or sparse power iteration",
        "strength scales",
        COUNTED,
    ),
    Method(
        "rating.centrality:pagerank",
        "follows losses to whoever won, and now and then starts anew anywhere",
        "sparse power iteration",
        "strength scales by_name",
        COUNTED,
    ),
    Method(
        "rating.centrality:eigenvector_centrality",
        "finds strengths proportional to those of the agents beaten",
        "one eigenvector; sparse power iteration for many agents",
        "strength scales by_name",
        COUNTED,
    ),
    Method(
        "rating.hodge_rank:hodge_rank",
        "fits potentials to the margins and says which share of them runs in circles",
        "a sparse linear system; least squares over triangles for the shares",
        "strength scales",
    ),
    Method(
        "rating.bradley_terry.bradley_terry:bradley_terry",
        "fits strengths whose differences say how often one agent beats another",
        "Newton on pair counts: O(pairs + m^3) a step, sparse for many agents",
        "strength scales",
        COUNTED,
    ),
    Method(
        "rating.bradley_terry.firth:bradley_terry_firth",
        "fits Bradley-Terry strengths with the bias of small samples taken out",
        "O(m^3) a round of leverages",
        "strength by_name",
        COUNTED,
    ),
    Method(
        "rating.bradley_terry.posterior:bradley_terry_posterior",
        "draws Bradley-Terry strengths from their posterior, and ranks by its mode",
        "O(pairs + m^3) a draw",
        "strength by_name",
        COUNTED,
    ),
    Method(
        "rating.bradley_terry.structured:bradley_terry_structured",
        "fits Bradley-Terry strengths that depend on what is known of agents, such as their size",
        "O(m^3) a step, some hundred steps",
        "strength by_name",
        frozenset({"battles", "pairs"}),
    ),
    Method(
        "rating.judged.bradley_terry_judged:bradley_terry_judged",
        "fits Bradley-Terry strengths together with a reliability for every judge",
        "O(votes + m^3) a step, some tens of steps",
        "strength by_name",
        frozenset({"battles", "scores"}),
    ),
    Method(
        "rating.thurstone:thurstone",
        "fits strengths whose differences, in normal deviates, say how often one agent beats another",
        "Newton on pair counts, sparse for many agents",
        "strength scales by_name",
        COUNTED,
    ),
    Method(
        "rating.plackett_luce.plackett_luce:plackett_luce",
        "fits strengths to whole rankings, each place a choice among those left",
        "Newton, each product O(ranked agents x sizes of ties)",
        "strength",
        RANKINGS,
    ),
    Method(
        "rating.sco.sco:sco",
        "finds ratings whose order contradicts the fewest preferences, counted smoothly",
        "O(pairs) a step of descent, then insertion moves",
        "condorcet",
        COUNTED,
    ),
    Method(
        "rating.sco.sco:wsco",
        "does as sco does, where contradicting the top of a vote costs more",
        "O(pairs) a step of descent, then insertion moves",
        takes=RANKINGS,
    ),
)
METHODS = {method.key: method for method in _ALL}


def method_named(key: str) -> Method:
    """Return a method by its key, or raise with the keys there are.

    >>> method_named("schulz")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: a method must be one of those `beatpath methods` lists; 'schulz' is not. Did you mean \
'schulze'?
    """
    if key not in METHODS:
        raise UsageError(
            f"a method must be one of those `beatpath methods` lists; {quoted(key)} is not.{suggestion(key, METHODS)}"
        )
    return METHODS[key]
