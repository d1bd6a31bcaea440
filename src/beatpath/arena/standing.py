"""The state of an arena: its goal, whether the board reaches it, and which pairs play next."""

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import UsageError
from beatpath._result import Record, TableResult
from beatpath._sentence import named, plain_text
from beatpath._text import confidence, counted, listed, quoted
from beatpath.inference.anytime.anytime_board import SCALE, AnytimeBoard, AnytimeRow
from beatpath.inference.anytime.anytime_core import battles_needed, core_pairs, likely_core
from beatpath.inference.anytime.boundary import information_needed
from beatpath.inference.anytime.stage import top_sets

if TYPE_CHECKING:
    from beatpath.arena.arena import Arena

# Share of the error that a goal such as "first" has for itself; the board has the rest, so that both hold at once.
GOAL = 0.8
RANKING = 0.5  # the share of a ranking: more settles it little sooner, and the orders of single pairs much later
LEAST = 0.02  # minimum missing information of an open pair, relative to what there is
# The forms of a goal, for messages and as a pattern.
FORMS = '"first", "top 3", "ranking", "core", "5 points apart" or "AGENT > AGENT"'
PATTERN = r"first|ranking|core|top ([1-9]\d{0,5})|(\d{1,2}(?:\.\d+)?) points? apart"
TEN_POINTS = np.array(0.1)  # a difference, for what a change of the goal costs


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of an arena.

    Parameters
    ----------
    text : str
        The goal as the user wrote it.
    best : int
        Size of the top set that must be determined; 0 if all pairs matter.
    points : float
        Smallest difference in win rate that matters.
    core : bool
        Whether the core must be determined: the smallest set whose members all win more than half of their battles
        against everyone outside it.
    pair : tuple of str
        Two agents whose order must be determined; empty for all.
    order : bool
        Whether the order of all agents must be determined.
    own : bool
        Whether some of the error is reserved for it, as for the goal that an arena was made with.
    """

    text: str
    best: int = 0
    points: float = 0.0
    core: bool = False
    pair: tuple[str, ...] = ()
    order: bool = False
    own: bool = True

    @classmethod
    def of(cls, text: str, n_agents: int, *, own: bool = True) -> "Goal":
        """Parse a goal; it must be reachable with so many agents.

        >>> Goal.of("top 3", 10).best, Goal.of("first", 2).best, Goal.of("5 points apart", 4).points
        (3, 1, 0.05)
        >>> Goal.of("ada > bob", 4).pair
        ('ada', 'bob')
        """
        words = text.strip().lower()
        match = re.fullmatch(PATTERN, words)
        pair = tuple(name.strip() for name in text.split(" > "))
        if match is None and len(pair) == 2 and pair[0] != pair[1]:
            return cls(" > ".join(pair), pair=pair, own=own)
        if match is None:
            raise UsageError(f"`goal` must be {FORMS}; got {quoted(text)}.")
        best = int(match[1] or words == "first")
        points, order = float(match[2] or 0) / 100, words == "ranking"
        goal = cls(words, best=best, points=points, core=words == "core", order=order, own=own)
        if goal.best and not goal.best < n_agents:
            raise UsageError(
                f"`goal` must leave some agent below the top; got {quoted(text)} for {counted(n_agents, 'agent')}. "
                "Ask for fewer, or add agents."
            )
        return goal

    @property
    def claims(self) -> bool:
        """Whether the goal is one claim, and not one about every pair."""
        return bool(self.best or self.core or self.pair or self.order)

    def reserved(self, n_agents: int) -> float:
        """The share of the error that the goal has for itself; see `alpha` for that of a ranking."""
        return (RANKING if self.order else GOAL) if self.claims and n_agents > 2 else 0.0

    def price(self, board: AnytimeBoard) -> float:
        """Return how many times the battles it takes, without an error of its own, of an arena made for this goal."""
        n = len(board.agents)
        made = replace(board, reserved=replace(self, own=True).reserved(n), sets=top_sets(n, self.best))
        alphas = replace(self, own=True).alpha(made), self.alpha(board)
        best, here = (information_needed(TEN_POINTS, SCALE, np.max(alpha)) for alpha in alphas)
        return float(here / best)

    def alpha(self, board: AnytimeBoard) -> float | Floats:
        r"""The error rate of each pair of agents.

        A wrong ranking reverses two agents who are next to each other in the true one, in one direction: with error
        :math:`e` for each pair, :math:`(n - 1) e / 2`. Orders of the board that are wrong are in one direction too, which leaves
        half of its error. So :math:`e = (1 + r) (1 - \text{level}) / (n - 1)`, where *r* is the share that the ranking has for itself: the
        two add up to 1 - level. If agents tie, every ranking is wrong, but has to order two of them: :math:`e` is at most that share.

        A wrong top set excludes the true one, in one direction; if several sets tie, it excludes all but one of them, which has at
        most twice the probability. With too many sets to bet against each, it puts some agent above one of the true top:
        with *k* of *n* agents at the top there are :math:`k (n - k)` statements, and one more for ties across the
        cutoff. After agents joined or retired, scores are against several sets of agents, and the error is divided among
        all pairs. A goal that came later shares the error of the board.
        """
        if not self.claims or not self.own or (self.order and not self._ranks(board)):
            return board.alpha
        if board.rosters > 1 and board.reserved:
            return board.alpha * board.reserved / (1 - board.reserved)
        own, n = board.share * (board.reserved or 1.0) * (1 - board.level), len(board.agents)
        if self.pair or len(board.sets):
            return own
        if self.order:
            return own * min(1.0, (1 + board.reserved) / board.reserved / (n - 1))
        return own / (n * (n - 1) / 2) if self.core else 2 * own / (self.best * (n - self.best) + 1)

    def _ranks(self, board: AnytimeBoard) -> bool:
        """Whether a ranking is settled as a whole, by an error of its own."""
        return bool(self.order and self.own and board.rosters == 1 and board.reserved)

    def scale(self, board: AnytimeBoard) -> float:
        """The scale of the bound: that of a ranking is narrowest at half of the difference of neighbors who divide all win rates evenly."""
        return SCALE * max(1.0, (len(board.agents) - 1) / 5) ** 2 if self._ranks(board) else SCALE

    def need(self, board: AnytimeBoard) -> Floats:
        """The precision that each difference needs.

        It must suffice to determine the sign, or that the difference is below the points that matter.
        """
        apart = np.abs(board.difference)
        return np.maximum(apart, self.points - apart)

    def open_pairs(self, board: AnytimeBoard) -> Bools:
        """Flag pairs whose order matters and is not certain yet."""
        if self.core:
            return core_pairs(board, battles_needed(board, self.alpha(board)))
        radius = board.radius_at(self.alpha(board), self.scale(board)) if self.claims else board.radius
        certain = board.above
        undecided = (self.need(board) <= radius) & ~np.eye(len(board.agents), dtype=bool)
        undecided &= ~(certain | certain.T | board.near)
        if self.pair:
            named = np.isin(board.agents, self.pair)
            undecided &= named[:, None] & named[None, :]
        if self.order and not undecided.any() and not _is_linear(_order(board)):
            return ~np.eye(len(board.agents), dtype=bool)
        if not self.best:
            return undecided
        top = self.top(board)
        if top.sum() != self.best:  # tied across the cutoff: any of them may have to go
            return undecided
        if self._bets(board):
            wrong = np.zeros_like(undecided)
            wrong[self._rivals(board)[1:]] = True
            return wrong | wrong.T
        wrong = top[:, None] & ~top[None, :] & (board.difference <= radius) & ~certain
        return wrong | wrong.T

    def _bets(self, board: AnytimeBoard) -> bool:
        """Whether the goal is settled by bets against sets of agents."""
        return bool(self.best and self.own and board.rosters == 1 and len(board.sets))

    def _rivals(self, board: AnytimeBoard) -> tuple[Ints, Ints, Ints]:
        """Sets that may be the top besides the current one, each with an agent that it lacks and the one in its place."""
        top = self.top(board)
        open_sets = np.flatnonzero(~board.not_top(self.alpha(board)) & (board.sets != top).any(axis=1))
        rivals = board.sets[open_sets]
        lacks = np.where(top & ~rivals, board.score, -np.inf).argmax(axis=1)
        return open_sets, lacks, np.where(rivals & ~top, board.score, np.inf).argmin(axis=1)

    def top(self, board: AnytimeBoard) -> Bools:
        """Flag the agents above the cutoff: those certainly above all others, or by current scores.

        By scores there are more or fewer than requested if scores tie across the cutoff.
        """
        above = board.above
        certain: Bools = above.sum(axis=1) >= len(above) - self.best
        if certain.sum() == self.best and above[np.ix_(certain, ~certain)].all():
            return certain
        return board.score > np.sort(board.score)[::-1][self.best - 1 : self.best + 1].mean()

    def reached(self, board: AnytimeBoard) -> AnytimeBoard:
        """Return the board with what the goal adds to it: if the top is settled, it is above all others."""
        if self.points:
            return replace(board, near=board.near | (np.abs(board.difference) + board.radius < self.points))
        if not (self.best or self.pair or self.order) or self.open_pairs(board).any():
            return board
        if self.order:
            return replace(board, claims=board.claims | _order(board))
        if self.pair:
            i, j = map(board.agents.index, self.pair)
            claims = np.zeros(board.difference.shape, dtype=bool)
            if board.above[j, i] or (board.difference[j, i] > 0 and not board.above[i, j]):
                i, j = j, i
            claims[i, j] = True
            return replace(board, claims=board.claims | claims)
        top = self.top(board)
        return replace(board, claims=board.claims | (top[:, None] & ~top[None, :]))

    def sentence(self, board: AnytimeBoard) -> str:
        """State whether the goal is reached, and by whom, or what is missing."""
        missing = self.open_pairs(board)
        if missing.any():
            what = "First place" if self.best == 1 else f"The {self.text}" if self.best or self.core else "The order"
            rest = f"{counted(int(missing.sum()) // 2, 'pair')} of agents must still be separated"
            if self.best == 1 and self._bets(board):
                may = np.any(board.sets[~board.not_top(self.alpha(board))], axis=0).tolist()
                names = sorted(name for name, inside in zip(board.agents, may, strict=True) if inside)
                between = f"by its own test it is between {plain_text(named(names))}"
                rest = f"any of {len(names):,} agents may be first" if all(may) else between
            return f"{what} is not settled: {rest}."
        at = f"at every look ({confidence(board.level)})."
        if self.pair:
            i, j = map(board.agents.index, self.pair)
            first, second = self.pair if board.above[i, j] else self.pair[::-1]
            return f"{quoted(first)} is certainly above {quoted(second)} {at}"
        if self.best or self.core:
            chosen = likely_core(board) if self.core else self.top(board)
            top = sorted(name for name, inside in zip(board.agents, chosen, strict=True) if inside)
            if self.best == 1:
                return f"{quoted(top[0])} is certainly first {at}"
            return f"The {self.text} {'is' if self.core else 'are'} certainly {listed(top)} {at}"
        nearer = f", or certainly less than {100 * self.points:g} percentage points apart," if self.points else ""
        return f"Every two agents are in a certain order{nearer} {at}"

    def missing(self, board: AnytimeBoard) -> Floats:
        """The information that every pair lacks at the current differences; zero if it is not open.

        For the core: the battles that it lacks. A difference near zero is taken to be as large as its standard error, since it may be, but not as more than ten
        points. An open pair always lacks some.
        """
        if self.core:
            return np.where(self.open_pairs(board), battles_needed(board, self.alpha(board)), 0.0)
        error = 1 / np.maximum(board.information, SCALE)
        near, gained = np.sqrt(self.need(board) ** 2 + error), board.information
        if self._bets(board) and self.top(board).sum() == self.best:
            sets, lacks, has = self._rivals(board)
            gained = np.full_like(near, np.inf)
            np.minimum.at(gained, (lacks, has), board.bets[0][sets] / near[lacks, has])
            gained = np.minimum(gained, gained.T)
        lacking = information_needed(near, self.scale(board), self.alpha(board)) - gained
        return np.where(self.open_pairs(board), np.maximum(lacking, LEAST * board.information + 1e-9), 0.0)

    def battles_left(self, board: AnytimeBoard) -> int | None:
        """The estimated number of further battles at the current differences; None before all agents have played.

        The slowest pair decides, at the rate of the latest probabilities.
        """
        missing = self.missing(board)
        if not missing.any():
            return 0
        slow, pace = missing > 0, board.chance if self.core else board.pace
        if not board.battles or not pace[slow].all():
            return None
        return int(np.ceil(np.max(missing[slow] / pace[slow])))


def _order(board: AnytimeBoard) -> Bools:
    """Whether the row is above the column: certainly, or by the current difference."""
    above = board.above
    return above | ((board.difference > 0) & ~above.T)


def _is_linear(order: Bools) -> bool:
    """Return whether an order of all pairs has no cycle: then its agents are above n - 1, n - 2, ..., 0 others."""
    return np.array_equal(np.sort(order.sum(axis=1)), np.arange(len(order)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Standing(TableResult):
    """The state of an arena at one time, with statements that are valid at any time.

    Parameters
    ----------
    board : AnytimeBoard
        Scores, and who is certainly above whom.
    goal : str
        The goal as the user wrote it.
    done : bool
        Whether the goal is reached.
    reason : str
        By whom, or what is missing, as a sentence.
    battles_left : int or None
        Estimated number of further battles; None if unknown.
    pending : int
        Battles requested but not answered.
    waiting : int
        Battles answered that do not count yet, since an older one is pending.
    """

    document_name: ClassVar[str] = "arena_status"
    document: ClassVar[tuple[str, ...]] = (
        "sentences=board.sentences",
        "level=board.level",
        "battles=board.battles",
        "ranks=rows",
        "above=board.above_pairs",
        "goal",
        "done",
        "reason",
        "battles_left",
        "pending",
        "waiting",
    )

    board: AnytimeBoard
    goal: str
    done: bool
    reason: str
    battles_left: int | None
    pending: int
    waiting: int = 0

    @classmethod
    def of(cls, board: AnytimeBoard, goal: Goal, pending: int, waiting: int = 0) -> "Standing":
        """Compare a board with a goal."""
        board = goal.reached(board)
        done = not goal.open_pairs(board).any()
        return cls(board, goal.text, done, goal.sentence(board), goal.battles_left(board), pending, waiting)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether the goal is reached, the sentences of the board, and how many battles do not count yet."""
        later = (
            f"{counted(self.waiting, 'battle waits', 'battles wait')} for an older one to be answered, and count then."
        )
        return (self.reason, *self.board.sentences, *((later,) if self.waiting else ()))

    def rows(self) -> list[AnytimeRow]:
        """Return the rows of the board: agents, best first."""
        return self.board.rows()


ALIKE = 1e-9  # largest difference between probabilities that count as equal


@dataclass(frozen=True, slots=True)
class NextPair(Record):
    """A pair that is likely to play next.

    Parameters
    ----------
    agents : pair of str
        The two agents.
    chance : float
        Probability that the next battle is theirs.
    why : str
        The purpose of the battle, as a sentence.
    """

    agents: tuple[str, str]
    chance: float
    why: str


@dataclass(frozen=True, slots=True)
class Outlook(Record):
    """Which pairs are likely to play next.

    Parameters
    ----------
    policy : str
        The sampling policy.
    pairs : tuple of NextPair
        The likeliest pairs, likeliest first; empty if all are equally likely.
    others : int
        Number of all other pairs, none of which is likelier.
    """

    policy: str
    pairs: tuple[NextPair, ...]
    others: int


def outlook(arena: "Arena", most: int = 5) -> Outlook:
    """Return at most `most` pairs that are likeliest to play next.

    Examples
    --------
    Before the first battle all pairs are equally likely.

    >>> from beatpath.arena.arena import Arena
    >>> outlook(Arena(":memory:", agents=["ada", "bob", "cyd"]))
    Outlook(policy='adaptive', pairs=(), others=3)
    """
    with arena._storage.reading() as db:
        active = arena._active(db)
        board, goal, policy = arena._look(db).board, arena._goal(db), arena._settings(db)["policy"]
        last = next(reversed(arena._stages._known(db)), None)
    a, b = np.triu_indices(len(active), 1)
    chance = last.chance if last is not None and last.agents == active else np.full(len(a), 1 / len(a))
    open_pairs = goal.open_pairs(board)
    names, ends = board.agents, [(k, int(a[k]), int(b[k])) for k in _likeliest(chance, most)]
    why = partial(_why, policy, goal, names, open_pairs)
    pairs = tuple(NextPair((names[i], names[j]), float(chance[k]), why(i, j)) for k, i, j in ends)
    return Outlook(policy, pairs, len(a) - len(pairs))


def _likeliest(chance: Floats, most: int) -> list[int]:
    """Indices of the likeliest pairs, at most `most`; a group of equals that does not fit is left out.

    >>> _likeliest(np.array([0.1, 0.4, 0.1, 0.3, 0.1]), 3)
    [1, 3]
    """
    order = np.argsort(-chance, kind="stable")
    edge = chance[order[most]] if len(order) > most else -1.0
    if np.ptp(chance) < ALIKE:
        return []
    return [int(k) for k in order[:most] if chance[k] > edge + ALIKE]


def _why(policy: str, goal: Goal, names: tuple[str, ...], open_pairs: Bools, i: int, j: int) -> str:
    """The purpose of a battle between a pair."""
    if policy != "adaptive":
        return "It lowers the standard errors of all scores most, whatever the goal."
    if open_pairs[i, j]:
        return "The goal needs their order, which is not certain yet."
    open_ones = [] if goal.core else [k for k in (i, j) if open_pairs[k].any()]
    if not open_ones:
        return "Every pair gets some battles, so that it can be estimated."
    left = [(quoted(names[k], 40), counted(int(open_pairs[k].sum()), "other")) for k in open_ones]
    if len({others for _, others in left}) < len(left):
        return f"{' and '.join(name for name, _ in left)} must each still be separated from {left[0][1]}."
    return f"{' and '.join(f'{name} must still be separated from {others}' for name, others in left)}."
