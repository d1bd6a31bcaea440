"""Where the real data lie, when they are there; and how long and how randomly properties are tried."""

import os
import time
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from helpers.command_line import BATTLES
from helpers.paths import SHARED, TESTS

# No deadline: a busy machine is no fault of the code. Nor are examples without a finite estimate, which laws pass over. The
# same examples every time where a change must land.
settings.register_profile(
    "beatpath",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
settings.load_profile("beatpath")


# Large grids: of each, the cells of every n-th diagonal are part of every run, which meet every row and every column, and the
# others are left to `make nightly`.
GRIDS = {
    "test_a_function_answers_or_says_why_not": 5,
    "test_a_method_answers_or_says_why_not": 5,
    "test_a_verb_answers_in_json_or_says_why_not": 3,
    "test_battles_come_back_from_every_table": 3,
    "test_ballots_come_back_from_every_table_with_agents_that_nobody_ranked": 3,
    "test_scores_come_back_from_every_table": 3,
    "test_pairs_come_back_from_every_table": 3,
    "test_damaged_files_end_in_evidence_or_a_sentence": 3,
}
# Tests that take ten seconds or more for what a smaller one beside them shows too: left to `make nightly`. A name stands for all of
# its cases, a name with brackets for those whose parameters contain the text.
NIGHTLY = (
    *(
        f"test_every_reproduction_agrees_with_what_was_published[{name}"
        for name in (
            "ste_",
            "wsco_",
            "sco_",
            "core_",
            "coverage",
            "kemeny",
            "runs",
            "curves",
            "fewer",
            "anytime",
            "judges",
            "contexts",
            "real_data",
        )
    ),
    "test_keyboards_and_screen_readers_meet_no_barrier[example-1440",
    "test_keyboards_and_screen_readers_meet_no_barrier[example-390-light",
    "test_keyboards_and_screen_readers_meet_no_barrier[hostile-1024-dark",
    "test_an_engine_counts_what_plain_reading_counts[parquet-ray",
    "test_columns_of_parquet_files_must_agree_where_they_are_used[ray",
    "test_arena_battles_are_split_by_session_and_selected_columns[ray",
    "test_options_for_a_session_that_runs_already_are_refused",
    "test_a_cluster_of_dask_counts_although_a_worker_is_killed",
    "test_every_archived_file_holds_what_the_index_says[so",
    "test_ten_thousand_columns_are_a_wide_table",
    "test_a_report_of_500_agents_opens_within_three_seconds",
    "test_advice_settles_more_differences_than_even_or_present_sampling_and_as_many_as_it_says",
    "test_advice_settles_first_place_more_often_than_even_or_present_sampling",
    "test_advice_finds_the_core_more_often_than_even_or_present_sampling",
    "test_stated_memberships_of_planted_cores_come_true_as_often_as_stated",
    "test_eight_wins_among_2048_agents_do_not_make_a_core",
    "test_planted_cores_are_recovered_as_well_as_by_the_planted_model_alone",
    "test_twenty_thousand_agents_are_checked_without_a_table_of_their_pairs",
    "test_simulation_based_calibration_ranks_are_uniform",
    "test_two_boards_of_one_truth_seldom_call_a_change_certain",
    "test_few_tasks_put_equal_agents_in_order_no_more_often_than_the_level[8",
    "test_few_tasks_put_equal_agents_in_order_no_more_often_than_the_level[12",
    "test_intervals_of_effects_cover_the_truth",
    "test_where_the_largest_drift_is_best_larger_ones_are_tried",
    "test_a_report_by_context_is_the_same_though_a_worker_is_killed_meanwhile[ray",
    "test_a_crowd_at_the_top_leaves_nobody_as_probable_as_a_bell_curve_would",
)
SLOW_FILES = {line for line in (TESTS / "slow.txt").read_text().splitlines() if not line.startswith("#")}
COSTS = os.environ.get("BEATPATH_COSTS")  # a file that is to hold what every test file took
_spent: dict[str, float] = defaultdict(float)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by these marks
def pytest_collection_modifyitems(items):
    """Mark what is slow and what is left for the night, and pass over what Windows has no way to do."""
    for item in items:
        if item.path.is_relative_to(TESTS) and item.path.relative_to(TESTS).as_posix() in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
        name = getattr(item, "originalname", None)
        if str(getattr(item, "name", "")).startswith(NIGHTLY):
            item.add_marker(pytest.mark.nightly)
        if name in GRIDS and sum(item.callspec.indices.values()) % GRIDS[name]:
            item.add_marker(pytest.mark.nightly)
        if os.name == "nt" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="needs the signals or the shell of a POSIX system"))


def _processor() -> float:
    """Processor seconds of this process and of those it has waited for."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Count what a test takes, where that is requested."""
    begun = _processor()
    try:
        return (yield)
    finally:
        _spent[item.nodeid.split("::")[0]] += _processor() - begun


def pytest_sessionfinish():
    """Write what every file took, the dearest first."""
    if COSTS and _spent:
        rows = sorted(_spent.items(), key=lambda one: -one[1])
        Path(COSTS).write_text("".join(f"{seconds:.2f}\t{name}\n" for name, seconds in rows))


@pytest.fixture(scope="session")
def shared():
    """The folder of real data sets; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the folder of real data sets (../shared/data) is absent")
    return SHARED


@pytest.fixture
def games(tmp_path):
    """A small file of battles."""
    path = tmp_path / "games.csv"
    path.write_text(BATTLES)
    return path
