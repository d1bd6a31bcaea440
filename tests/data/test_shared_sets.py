"""Every real data set reads with no option or with the mapping written here, and its counts are its README's."""

import csv

import numpy as np
import pytest

import beatpath as bp
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN

F1 = {
    "map": {"ballot": "session+season+race", "agent": "driver", "rank": "position"},
    "labels": dict.fromkeys(("DNF", "NC", "DSQ", "EX", "DNQ", "DNS", "DNPQ", "DNP"), "last"),
    "repeats": "best",
}
OPEN_LLM = {"map": {"agent": "name", "value": "arc+hellaswag+mmlu+truthfulqa+winogrande+gsm8k"}}


def total(pairs):
    return pairs.counts.sum(axis=0)


def test_alpaca_eval_annotations(shared):
    b = bp.read(shared / "alpaca_eval_gpt4turbo/annotations.parquet", self_battles="drop")
    assert b.reading.rows_read == 46_680
    assert b.reading.dropped == {"agent against itself": 805}  # the baseline against itself, one row a prompt
    assert len(b.agents) == 58
    assert len(b.factors["cluster"].levels) == 805
    assert len(b.factors["task"].levels) == 5
    assert b.position is None  # the baseline is always on the same side: that tells nothing of position


def test_atari_scores_have_agents_as_columns(shared):
    s = bp.read(shared / "atari_tables/atari_rainbow_table6.csv")
    assert (len(s.agents), len(s.tasks), len(s)) == (8, 54, 432)
    assert "rainbow" in s.agents


def test_chatbot_arena_counts(shared):
    p = bp.read(shared / "chatbot_arena_20240814_counts/pair_counts.csv")
    assert (len(p.agents), len(p), p.battles.sum()) == (129, 3460, 1_670_250)
    assert total(p)[[TIE, BOTH_BAD]].tolist() == [281_121, 295_254]
    assert total(p)[[WIN, LOSS]].sum() == 595_570 + 498_305


CLASSIC = {
    "baseball1987.csv": ("pairs", 7, 273),
    "citations.csv": ("pairs", 4, 730 + 498 + 221 + 33 + 68 + 17 + 320 + 813 + 142 + 284 + 276 + 325),
    "icehockey_ncaa_2009_10.csv": ("battles", 58, 1083),
    "football_premier_league_2008_13.csv": ("battles", 29, 1900),
    "chameleons_contests.csv": ("battles", 35, 106),
    "flatlizards_contests.csv": ("battles", 77, 100),
    "springall_contests.csv": ("pairs", 9, None),
    "sound_fields_comparisons.csv": ("pairs", 8, None),
    "nascar2002_orderings.csv": ("ballots", 87, 36),
    "pudding.csv": ("pairs", 6, None),
    "beans.csv": ("ballots", 10, 842),
}


@pytest.mark.parametrize("name", CLASSIC)
def test_classical_sets(shared, name):
    kind, agents, rows = CLASSIC[name]
    e = bp.read(shared / "classic_r_datasets" / name)
    assert (e.kind, len(e.agents)) == (kind, agents)
    if rows is not None:
        assert (e.battles.sum() if kind == "pairs" else len(e)) == rows


def test_classical_pair_tables_keep_their_ties_and_positions(shared):
    pudding = bp.read(shared / "classic_r_datasets/pudding.csv")
    k = [(pudding.agents[i], pudding.agents[j]) for i, j in zip(pudding.a, pudding.b, strict=True)].index(("1", "2"))
    assert pudding.counts[k].tolist() == [19, 22, 16, 0]
    baseball = bp.read(shared / "classic_r_datasets/baseball1987.csv")
    assert baseball.keys["position"].levels == ("a first", "b first")
    cems = bp.read(shared / "classic_r_datasets/cems_preferences.csv")
    assert cems.reading.rows_read == 4545
    assert len(cems.keys["cluster"].levels) <= 303
    assert len(cems.agents) == 6


def test_f1_results_are_ballots_of_a_race_and_a_qualifying(shared):
    b = bp.read(shared / "f1_results/results.parquet", **F1)
    assert b.reading.rows_read == 54_487
    assert len(b.agents) == 860
    assert len({name.split(" / ", 1)[1] for name in b.factors["ballot"].levels}) == 1160


def test_f1_places_that_are_no_numbers_must_be_mapped(shared):
    with pytest.raises(bp.UnknownLabel, match=r"'DNF' 8,764.*labels="):
        bp.read(shared / "f1_results/results.parquet", map=F1["map"])


def test_international_football(shared):
    b = bp.read(shared / "football_international/results.parquet")
    assert (len(b.agents), len(b)) == (337, 49_520)
    assert round((b.outcome == 0.5).mean(), 3) == 0.227
    assert (b.position == 0).sum() > 0  # neutral ground


@pytest.mark.parametrize(
    ("name", "agents"),
    [("rps", 3), ("5_3_blotto", 21), ("5_4_blotto", 56), ("kuhn_poker", 64), ("10_3_blotto", 66)],
)
def test_payoff_matrices(shared, name, agents):
    m = bp.read(shared / f"game_payoff_matrices/{name}.npz")
    assert (m.kind, len(m.agents)) == ("margins", agents)


def test_gamebench(shared):
    b = bp.read(shared / "gamebench/matches.csv")
    assert (len(b.agents), len(b), len(b.factors["task"].levels)) == (7, 277, 9)


@pytest.mark.parametrize(("name", "agents", "tasks"), [("2024_11_25", 65, 18), ("2025_05_30", 70, 20)])
def test_livebench_tables(shared, name, agents, tasks):
    s = bp.read(shared / f"livebench_tables/table_{name}.csv")
    assert (len(s.agents), len(s.tasks)) == (agents, tasks)


def test_llm_debates(shared):
    b = bp.read(shared / "llm_debate/judgments.csv")
    assert (len(b.agents), len(b)) == (31, 1793)
    assert len(b.factors["judge"].levels) == 6
    assert len(b.factors["cluster"].levels) == 350
    assert round(b.outcome.mean(), 2) == 0.57  # the side that speaks first, PRO, wins more often
    assert (b.position == 1).all()


@pytest.mark.parametrize(
    ("name", "rows", "agents", "ties", "prompts"),
    [("crowd", 8931, 59, 3471, 13), ("gpt4", 3236, 70, 139, 19), ("gpt4-crowd", 2139, 59, 66, 13)],
)
def test_llmfao(shared, name, rows, agents, ties, prompts):
    b = bp.read(shared / f"llmfao/{name}-comparisons.csv")
    assert (len(b), len(b.agents)) == (rows, agents)
    assert (b.outcome == 0.5).sum() == ties
    assert len(b.factors["cluster"].levels) == prompts
    assert b.reading.guessed["agent_a"] == "left"


def test_lm_council(shared):
    b = bp.read(shared / "lm_council_ei_sample/judgments.csv")
    assert (len(b), len(b.agents), len(b.factors["judge"].levels)) == (1000, 20, 20)
    assert np.isin(b.outcome, (0, 1)).all()
    assert [c.name for c in b.conventions] == ["strong"]


def test_nfl(shared):
    b = bp.read(shared / "nfl/games.parquet")
    assert (len(b), len(b.agents), (b.outcome == 0.5).sum()) == (17_834, 123, 318)


def test_open_llm_leaderboard(shared):
    s = bp.read(shared / "open_llm_leaderboard_v1/scores.parquet", **OPEN_LLM)
    assert (len(s.agents), len(s.tasks)) == (6986, 6)
    assert len(s) < 6986 * 6  # some are missing, and stay so


def test_pandalm(shared):
    b = bp.read(shared / "pandalm_human/judgments.csv")
    assert (len(b), len(b.agents), (b.outcome == 0.5).sum()) == (2997, 5, 326)
    assert len(b.factors["cluster"].levels) == 999


def test_public_goods_games(shared):
    b = bp.read(shared / "pgg_bench/results.csv", map={"ballot": "game_id", "agent": "agent", "score": "final_tokens"})
    assert (len(b), len(b.agents), b.reading.rows_used) == (735, 22, 3675)


def test_pokemon_winners_are_named_by_their_own_number(shared):
    b = bp.read(shared / "pokemon_combats/combats.csv")
    assert (len(b), len(b.agents)) == (50_000, 784)
    assert (b.outcome == 0.5).sum() == 0


def test_qlora_invalid_labels_must_be_mapped(shared):
    path = shared / "qlora_gpt4_vicuna80/battles.csv"
    with pytest.raises(bp.UnknownLabel, match=r"'invalid' is not.*'model_1' 2,512.*labels=.\"invalid\": \"drop\""):
        bp.read(path)
    b = bp.read(path, labels={"invalid": "drop"})
    assert (b.reading.rows_read, b.reading.dropped) == (4480, {"label left out": 13})
    assert ((b.outcome == 1).sum(), (b.outcome == 0).sum(), (b.outcome == 0.5).sum()) == (2512, 1355, 600)
    assert len(b.factors["cluster"].levels) == 80


def test_step_game(shared):
    b = bp.read(shared / "step_game/results.parquet", map={"ballot": "game_id", "agent": "agent", "score": "position"})
    assert (len(b), len(b.agents), b.reading.rows_used) == (6866, 68, 20_598)


def test_swe_bench_instances(shared):
    s = bp.read(shared / "swebench_verified_bash_only/per_instance.parquet")
    assert (len(s.agents), len(s), len(s.factors["item"].levels)) == (25, 12_500, 500)
    assert round(s.value.mean(), 3) == 0.523
    totals = bp.read(shared / "swebench_verified_bash_only/leaderboard_totals.csv")
    assert (len(totals), len(totals.tasks)) == (322, 5)


def test_tennis_both_ways(shared):
    """Row by row and counted in the engine; walkovers left out."""
    main = bp.read(shared / "tennis_atp/main_tour.parquet", self_battles="drop")
    assert main.reading.rows_read == 194_996
    lower = bp.read(
        shared / "tennis_atp/lower_tiers.parquet", self_battles="drop", to="pairs", where=["walkover=false"]
    )
    assert lower.reading.rows_read == 746_653
    ids = {"winner": "winner_id", "loser": "loser_id"}
    both = [shared / "tennis_atp/main_tour.parquet", shared / "tennis_atp/lower_tiers.parquet"]
    every = bp.read(both, map=ids, self_battles="drop", to="pairs")
    assert every.reading.rows_read == 941_649
    assert every.battles.sum() == every.reading.rows_used


def test_preflib_samples(shared):
    lines = (shared / "preflib/index.csv").read_text(encoding="utf-8").splitlines()
    index = {row["file"]: row for row in csv.DictReader(lines)}
    paths = sorted((shared / "preflib/samples").iterdir())
    assert len(paths) == 56
    for path in paths:
        b = bp.read(path)
        row = index[path.name]
        assert len(b.agents) == int(row["n_alternatives"]), path.name
        assert b.count.sum() == int(row["n_voters"]), path.name
        assert len(b) == int(row["n_unique_orders"]), path.name
