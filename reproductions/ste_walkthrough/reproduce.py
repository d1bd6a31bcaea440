"""Reproduces: the examples of Appendix B, the walkthrough of Appendix H, and what three statements of the theory promise.

Source     Soft Tournament Equilibrium (STE), Appendices B and H, Theorem 5.1, Propositions 5.13 and 5.14
Data       inline: the matrices printed there, and simulated battles
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/ste_walkthrough/reproduce.py     (exit 1 on a mismatch)
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

import numpy as np
from script import checked, expected_of, parser_of

import beatpath as bp
from beatpath.methods.soft_core.operators import reachability, soft_majority_edge, soft_top_cycle, soft_uncovered_set
from beatpath.reports.reproduction import show

options = parser_of(__doc__).parse_args()
expected, lines = expected_of(__file__), []

for key in ("B.1", "B.2", "B.3"):
    case = expected[key]
    names = "ABCD"[: len(case["P"])]
    core = bp.core(np.array(case["P"]), agents=list(names))
    for what, members in (("top cycle", core.top_cycle.members), ("uncovered set", core.uncovered_set.members)):
        ours = "".join(sorted(members))
        lines.append(checked(f"{key}: {what}", case[what], ours, ours == case[what]))

case = expected["H.1"]
P, tau, names = np.array(case["P"]), case["temperature"], "ABCD"
D = soft_majority_edge(P, tau)
R = reachability(D, reach="noisy-or", max_length=case["length"])
by_text = reachability(D, reach="max-min", max_length=case["length"])
for what, matrix in (("D", D), ("R", R)):
    same = np.abs(np.array(case[what]) - matrix).max() < 0.0006
    lines.append(
        checked(
            f"H.1: {what}, by noisy-or" if what == "R" else f"H.1: {what}", case[what], matrix.round(3).tolist(), same
        )
    )
gap = np.abs(np.array(case["R"]) - by_text).max()
note = "the text's max-min operator; the printed matrix is a noisy-or of all paths"
lines.append(
    checked("H.1: R, by the text's eqs. (7) to (10)", case["R"], by_text.round(3).tolist(), gap < 0.0006, note)
)
scores = {
    "t, by noisy-or": (case["t"], soft_top_cycle(R, tau), ""),
    "t, by the text": (case["t"], soft_top_cycle(by_text, tau), note),
    "u": (case["u"], soft_uncovered_set(D, tau), ""),
}
for what, (published, ours, why) in scores.items():
    same = np.abs(np.array(published) - ours).max() < 0.0006
    lines.append(checked(f"H.1: {what}", published, ours.round(3).tolist(), same, why))

rng = np.random.default_rng(0)
n, margin = 8, 0.1
upper = np.triu(0.5 + margin * rng.choice([-1.0, 1.0], (n, n)), 1)
P = upper + np.tril(1 - upper.T, -1) + np.eye(n) / 2
hard = np.isin(range(n), [int(name) for name in bp.core(P, agents=[str(i) for i in range(n)]).top_cycle.members])
errors = []
for t in (0.1, 0.05, 0.02, 0.01, 0.005):
    soft = soft_top_cycle(reachability(soft_majority_edge(P, t), reach="max-min"), t)
    errors.append((np.abs(soft - hard).max(), np.exp(-margin / t) + t * np.log(n)))
falls = all(error <= bound for error, bound in errors)
seen = ", ".join(f"{error:.4f} of {bound:.4f}" for error, bound in errors)
lines.append(
    checked(
        "Theorem 5.1, margin 0.1, temperatures 0.1 to 0.005: error and bound with constants of 1", "within", seen, falls
    )
)

moved = P + 1e-4 * (shift := np.triu(rng.uniform(-1, 1, (n, n)), 1)) - 1e-4 * shift.T
change = [
    np.abs(score(moved) - score(P)).max()
    for score in (
        lambda P: soft_top_cycle(reachability(soft_majority_edge(P, 0.05), reach="max-min"), 0.05),
        lambda P: soft_uncovered_set(soft_majority_edge(P, 0.05), 0.05),
    )
]
small = (
    max(change) <= 1e-4 / (4 * 0.05) * 4
)  # the slope of an edge is at most 1 / (4 tau); covers multiply three of them
lines.append(
    checked("Proposition 5.13: win rates moved by 0.0001 move scores by", "little", f"{max(change):.5f}", small)
)

battles = int(np.ceil(np.log(2 * (n * (n - 1) / 2) / 0.05) / (2 * margin**2)))
a, b = np.triu_indices(n, 1)
wins = rng.binomial(battles, P[a, b], (4000, len(a)))
right = float(((wins / battles > 0.5) == (P[a, b] > 0.5)).all(axis=1).mean())
lines.append(
    checked(
        f"Proposition 5.14: all majorities right with {battles} battles a pair",
        "at least 0.95",
        f"{right:.3f}",
        right >= 0.95,
    )
)

# a soft edge has a slope of at most 1 / (4 tau); max-min and the soft minimum add nothing to it
tau, error = 0.5, 0.1
lipschitz = 1 / (4 * tau)
enough = int(np.ceil(np.log(2 * len(a) / 0.05) * lipschitz**2 / (2 * error**2)))


def top_cycle_scores(rates: np.ndarray) -> np.ndarray:
    """The soft top cycle of win rates of pairs."""
    Q = np.full((n, n), 0.5)
    Q[a, b], Q[b, a] = rates, 1 - rates
    return soft_top_cycle(reachability(soft_majority_edge(Q, tau), reach="max-min"), 0.05)


true = top_cycle_scores(P[a, b])
seen = rng.binomial(enough, P[a, b], (1000, len(a))) / enough
off = np.array([np.abs(top_cycle_scores(one) - true).max() for one in seen])
steep = float((off / np.abs(seen - P[a, b]).max(axis=1)).max())
lines.append(
    checked(
        f"Proposition 5.15 with L = 1 / (4 tau) = {lipschitz:g}: scores within {error} with {enough} battles a pair",
        "with high probability",
        f"in {(off <= error).mean():.3f} of draws; largest slope {steep:.2f}",
        (off <= error).mean() >= 0.95 and steep <= lipschitz + 1e-9,
    )
)
sys.exit(show("STE: examples and bounds", lines, options.format))
