"""Demšar's practice: his own figures, scikit-posthocs and scipy."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, wilcoxon

import beatpath as bp
from beatpath.inference.runs.critical_differences import iman_davenport

TABLE = np.array(
    [
        [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619, 0.972, 0.957],
        [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666, 0.981, 0.978],
        [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.000, 0.965, 0.614, 0.975, 0.946],
        [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.000, 0.962, 0.669, 0.975, 0.970],
    ]
)  # accuracies of four forms of a decision tree on fourteen sets, with ties
SCORES = bp.Scores.from_table(TABLE, list("pqrs"), [f"t{i:02d}" for i in range(14)])


def test_nemenyi_and_wilcoxon_with_holm_are_those_of_scikit_posthocs():
    """posthoc_nemenyi_friedman and posthoc_wilcoxon(p_adjust="holm") of scikit-posthocs 0.17.1, printed to six places."""
    differences = bp.metrics.critical_differences(SCORES)
    nemenyi = [0.088673, 0.971686, 0.061683, 0.226697, 0.998882, 0.170052]
    holm = [0.064543, 0.861262, 0.079372, 0.162986, 0.655651, 0.101254]
    upper = np.triu_indices(4, 1)
    assert differences.nemenyi_p[upper] == pytest.approx(nemenyi, abs=1e-6)
    assert differences.holm_p[upper] == pytest.approx(holm, abs=1e-6)
    assert differences.wilcoxon_p[0, 1] == pytest.approx(wilcoxon(TABLE[0], TABLE[1]).pvalue)


def test_friedman_is_that_of_scipy_ties_and_all():
    differences = bp.metrics.critical_differences(SCORES)
    known = friedmanchisquare(*TABLE)
    assert differences.friedman == pytest.approx(known.statistic)
    assert differences.friedman_p == pytest.approx(known.pvalue)


def test_the_figures_of_the_paper():
    """Demšar (2006), section 3.2.2: four agents on fourteen sets, chi-square 9.28, F 3.69; differences 1.25 and, at 0.10, 1.12."""
    assert iman_davenport(9.28, 4, 14)[0] == pytest.approx(3.69, abs=0.005)
    assert bp.metrics.critical_differences(SCORES).critical_difference == pytest.approx(1.25, abs=0.005)
    assert bp.metrics.critical_differences(SCORES, level=0.9).critical_difference == pytest.approx(1.12, abs=0.005)


def test_a_third_agent_can_separate_two_by_mean_rank_and_not_by_score():
    """Between two agents a third is put wherever the first is above: scores of the two are what they were."""
    rng = np.random.default_rng(2)
    first = rng.normal(size=30) + 0.25
    second = rng.normal(size=30)
    between = np.where(first > second, (first + second) / 2, np.minimum(first, second) - 1)
    tasks = [f"t{i:02d}" for i in range(30)]
    pair = bp.metrics.critical_differences(bp.Scores.from_table([first, second], ["x", "y"], tasks))
    more = bp.metrics.critical_differences(bp.Scores.from_table([first, second, between], ["x", "y", "z"], tasks))
    assert np.diff(more.mean_rank[:2])[0] > 1.2 * np.diff(pair.mean_rank)[0]
    assert more.wilcoxon_p[0, 1] == pytest.approx(pair.wilcoxon_p[0, 1])


def test_agents_that_always_tie_are_not_parted():
    differences = bp.metrics.critical_differences(bp.Scores.from_table(np.ones((3, 4)), list("abc"), list("wxyz")))
    assert (differences.friedman, differences.friedman_p) == (0.0, 1.0)
    assert not differences.apart().any()
    assert not differences.apart("nemenyi").any()


def test_too_little_and_unknown_tests_are_refused():
    with pytest.raises(bp.DataError, match="two agents and two tasks"):
        bp.metrics.critical_differences(bp.Scores.from_table([[1.0], [2.0]], ["a", "b"], ["t"]))
    with pytest.raises(bp.UsageError, match="nemenyi or holm"):
        bp.metrics.critical_differences(SCORES).apart("t")
    with pytest.raises(bp.UsageError, match="`level`"):
        bp.metrics.critical_differences(SCORES, level=95)
