"""The share of its own win rate that a pair keeps: the page says it, the code computes it, and both are one equation."""

import re

import numpy as np
import pytest
from scipy.special import expit

import beatpath as bp
from beatpath.inference.matrix.estimate import own_share
from helpers.paths import ROOT

PAGE = ROOT / "docs" / "theory" / "inference" / "matrix.md"
NAMES = {
    r"\\bar v_p": "v",
    r"\\tau\^2": "tau2",
    r"\\varphi": "phi",
    r"\\omega_p": "omega",
    r"\b([snt])_p": r"\1",
    r"\\left|\\right": "",
    r"\\;": "",
    r"\\(max|min)": r"\1imum",
}


def formulas():
    """The right sides of the page's equations for k and omega, as LaTeX without line breaks."""
    flat = " ".join(PAGE.read_text(encoding="utf-8").split())
    k, omega = re.findall(r"\$\$ k_p = (.*?), \\qquad \\omega_p = (.*?) \. \$\$", flat)[0]
    return {"k": k, "omega": omega}


def computed(latex, **values):
    """What a formula gives: fractions as quotients, names that stand side by side as products."""
    text = re.sub(r"\\frac\{(.*?)\} ?\{(.*?)\}", r"((\1) / (\2))", latex)
    for name, plain in NAMES.items():
        text = re.sub(name, plain, text)
    text = re.sub(r"(?<=[\w)]) (?=[a-z(])", " * ", text)
    return eval(text, {"maximum": np.maximum, "minimum": np.minimum}, values)  # a formula of our own page


def test_the_formula_of_the_page_stands_in_the_docstring():
    doc = " ".join(own_share.__doc__.split()).replace("\\right)} {", "\\right)}{")
    for latex in formulas().values():
        assert latex.replace("\\right)} {", "\\right)}{") in doc


@pytest.mark.parametrize("phi", [1.0, 1.5, 4.0])
@pytest.mark.parametrize("t", [0.0, 0.001, 0.02, 0.2])
def test_the_share_a_pair_keeps_is_that_of_the_page(phi, t):
    n = np.array([1.0, 1.5, 10.0, 400.0])
    v, s, likely = 0.2 / n, np.array([1.0, 0.9, 0.5, 0.1]), np.full(4, t)
    equations = formulas()
    omega = computed(equations["omega"], phi=phi, tau2=0.0025, v=v, s=s, n=n)
    share = computed(equations["k"], phi=phi, tau2=0.0025, v=v, s=s, n=n, t=likely, omega=omega)
    assert own_share(phi, 0.0025, v, s, n, likely)[0] == pytest.approx(omega)
    assert own_share(phi, 0.0025, v, s, n, likely)[1] == pytest.approx(share)


def test_a_pair_of_the_matrix_lies_where_the_page_puts_it_between_the_scale_and_its_own_rate():
    """A board of even odds but for a cycle of three, without ties: variances are those of independent battles."""
    a, b = np.triu_indices(6, 1)
    wins = np.full(len(a), 200.0)
    for i, j, won in ((0, 1, 260), (1, 2, 260), (0, 2, 140)):
        wins[(a == i) & (b == j)] = won
    matrix = bp.win_matrix(bp.Pairs(tuple("abcdef"), a, b, np.stack([wins, 400 - wins, 0 * wins, 0 * wins], axis=1)))
    m = expit(matrix.strength[a] - matrix.strength[b])
    g, r = m * (1 - m), wins / 400
    equations = formulas()
    values = {"phi": matrix.phi, "tau2": matrix.tau**2, "v": g / 400, "s": 4 * g, "n": np.full(len(a), 400.0), "t": 0.0}
    k = computed(equations["k"], omega=computed(equations["omega"], **values), **values)
    assert matrix.tau > 0.02
    assert matrix.rate[a, b] == pytest.approx(m + k * (r - m), abs=1e-6)


def test_one_battle_tells_a_deviation_by_its_share_in_the_variance_of_one_battle():
    """By enumeration: a pair whose rate is m + d or m - d, one battle, outcome 0 or 1; the best line through the origin."""
    m, d = 0.4, 0.1
    cases = [(deviation, x, 0.5 * (m + deviation if x else 1 - m - deviation)) for deviation in (d, -d) for x in (0, 1)]
    slope = sum(p * dev * (x - m) for dev, x, p in cases) / sum(p * (x - m) ** 2 for _, x, p in cases)
    g = m * (1 - m)
    share = own_share(1.0, d**2 / (4 * g), np.array([g]), np.array([4 * g]), np.ones(1), np.zeros(1))[1][0]
    assert share == pytest.approx(slope)
