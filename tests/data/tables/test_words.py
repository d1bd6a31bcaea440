"""The words of column names."""

import pytest

import beatpath as bp
from beatpath.data.tables.words import paired_scores, sides_of, tokens


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("HomeTeam", ("home", "team")),
        ("awayGoals", ("away", "goals")),
        ("hometeam", ("home", "team")),
        ("AnswerID", ("answer", "id")),
        ("FTHG", ("fthg",)),
        ("homeland", ("homeland",)),
        ("player1Score", ("player", "1", "score")),
        ("LLMName", ("llm", "name")),
    ],
)
def test_a_name_is_taken_apart_at_signs_digits_humps_and_sides(name, words):
    assert tokens(name) == words


ROWS = "A,B,1,0\nB,C,1,1\nC,A,0,2\nA,C,3,2\nB,A,0,1\nC,B,2,1\n"
HEADERS = [
    "home,visitor,hgoal,vgoal",
    "HomeTeam,AwayTeam,HomeScore,AwayScore",
    "HomeTeam,AwayTeam,FTHG,FTAG",
    "Home,Away,HG,AG",
    "hometeam,awayteam,homegoals,awaygoals",
    "home_team,away_team,home_pts,away_pts",
    "home,guest,home_points,guest_points",
    "team1,team2,team1_score,team2_score",
    "PlayerA,PlayerB,ScoreA,ScoreB",
    "team_a,team_b,final_score_a,final_score_b",
    "visitor,opponent,v_goals,o_goals",
]


@pytest.mark.parametrize("header", HEADERS)
def test_battles_by_score_are_seen_in_every_usual_spelling(write, header):
    battles = bp.read(write(f"{header}\n{ROWS}"))
    assert battles.outcome.tolist() == [1.0, 0.5, 0.0, 1.0, 0.0, 1.0]
    assert battles.reading.format == "table (battles by score)"


def test_half_time_goals_shots_and_ids_are_no_scores():
    assert paired_scores(["HTHG", "HTAG", "HS", "AS"], ("home", "away")) is None
    assert paired_scores(["answer_a_id", "answer_b_id", "elo_a", "elo_b"], ("a", "b")) is None
    assert sides_of("home_team_name", "away") == ()
