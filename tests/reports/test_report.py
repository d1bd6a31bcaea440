"""A report: what it says, that it says so in every form, and that nothing in it can act."""

import json
import re
from html.parser import HTMLParser

import pytest

import beatpath as bp
from beatpath import Ballots, Battles, DataError, Factor, Margins, Pairs, UsageError, WinRates
from beatpath._text import shown
from beatpath.analysis.verdict import OPEN, RESOLVED, UNKNOWN
from beatpath.reports.report import Report, report
from helpers.hostile import NAMES, hostile_battles

MEGABYTE = 1_000_000
SMALL = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[70, 30, 0, 0], [90, 10, 0, 0], [75, 20, 3, 2]])


class Page(HTMLParser):
    """The elements of a page, its scripts and its text, as a browser would find them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.scripts, self.words, self.inside = [], [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self.inside = tag
            if tag == "script":
                self.scripts.append((dict(attributes), ""))

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif self.inside is None:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def ids(self):
        return [a["id"] for _, a in self.elements if "id" in a]

    def data(self, name):
        return next(json.loads(text) for kind, text in self.scripts if kind.get("id") == name)


@pytest.fixture(scope="module")
def example() -> Report:
    return report(bp.example(), seed=0)


@pytest.fixture(scope="module")
def page(example):
    return Page(example.html())


@pytest.fixture(scope="module")
def small() -> Report:
    return report(SMALL, seed=0)


@pytest.fixture(scope="module")
def hostile() -> Report:
    return report(hostile_battles(), title=NAMES[1], contexts="task")


@pytest.fixture(scope="module")
def hostile_page(hostile):
    return Page(hostile.html())


def test_the_planted_cycle_comes_first_and_is_resolved(example):
    first = example.verdict[0]
    assert first.mark == RESOLVED
    assert {"aurora", "basalt", "cinder"} <= {str(part) for part in first.parts}
    assert first.text.startswith("No single agent is best")


def test_the_verdict_has_two_to_five_sentences_each_with_a_mark_and_evidence(example, page):
    assert 2 <= len(example.verdict) <= 5
    for sentence in example.verdict:
        assert sentence.mark in (RESOLVED, OPEN, UNKNOWN)
        assert sentence.evidence in page.ids()


def test_every_finding_of_the_check_is_on_the_page(example, page):
    said = page.text.replace("\u00a0", " ")
    for finding in example.check.findings:
        assert " ".join(finding.text.split()) in said
        assert f"{finding.status} {finding.name}" in said


def test_the_board_has_every_agent_with_its_range_and_score(example, page):
    agents = {a["data-v"] for tag, a in page.elements if tag == "th" and a.get("scope") == "row" and "data-v" in a}
    assert agents == set(bp.example().agents)
    ranks = example.resolution.ranks
    for row in example.board:
        i = ranks.agents.index(row.agent)
        assert (row.best, row.worst) == (ranks.best[i], ranks.worst[i])
        assert row.best <= row.rank <= row.worst


def test_every_link_inside_the_page_has_a_target(page):
    ids = page.ids()
    assert len(ids) == len(set(ids))
    links = [a["href"] for tag, a in page.elements if tag == "a"]
    assert links
    assert all(link.startswith("#") and link[1:] in ids for link in links)


def test_the_page_asks_for_nothing_from_outside(page):
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert "src" not in attributes
        for name, value in attributes.items():
            assert not name.startswith("on"), f"{tag} {name}"
            assert "url(" not in (value or "")
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert not re.search(r"script-src[^;]*unsafe-inline", policy)


def test_without_scripts_verdict_board_and_pictures_are_there(example, page):
    drawn = [a["data-picture"] for tag, a in page.elements if tag == "figure" and "data-picture" in a]
    assert set(drawn) == set(example.figures()) - {"rank_intervals"}
    labelled = [a for tag, a in page.elements if tag == "svg" and a.get("class") == "marks"]
    assert len(labelled) == len(drawn)
    assert all(a["role"] == "img" and a["aria-label"] for a in labelled)


def test_the_data_in_the_page_are_the_report(example, page):
    assert page.data("report") == json.loads(example.text("json"))


def test_json_has_a_schema_version_and_no_number_that_json_lacks(example):
    data = json.loads(json.dumps(example.to_dict(), allow_nan=False))
    assert data["schema_version"] == "1"
    assert data["type"] == "report"
    assert {"verdict", "board", "pairs", "check", "comparison", "core", "resolution", "robustness", "plan"} <= set(data)
    assert data["provenance"]["seed"] == 0
    assert data["provenance"]["sources"]
    assert len(data["board"]) == 30
    n = len(data["pairs"]["a"])
    assert all(len(column) == n for column in data["pairs"].values() if column is not None)


def test_pairs_are_seen_from_the_better_placed_agent(example):
    pairs, counts = example.pairs, bp.example().pairs()
    wins = counts.wins()
    place = {name: i for i, name in enumerate(counts.agents)}
    for a, b, rate in zip(pairs.a, pairs.b, pairs.rate, strict=True):
        assert a < b
        i, j = place[pairs.agents[a]], place[pairs.agents[b]]
        assert rate == pytest.approx(wins[i, j] / (wins[i, j] + wins[j, i]), abs=1e-4)


def test_the_same_input_and_seed_give_the_same_page(small):
    assert report(SMALL, seed=0).html() == small.html()


def test_markdown_has_verdict_warnings_and_board(example):
    text = example.markdown()
    assert "**aurora** beats **basalt**" in text
    assert "position bias" in text
    assert sum(line.startswith("| ") for line in text.splitlines()) == 32


def test_tasks_are_contexts_and_each_has_its_own_board(example, page):
    assert sorted(context.name for context in example.contexts) == ["chat", "code", "maths", "writing"]
    assert sum("context" in (a.get("class") or "").split() for _, a in page.elements) == 4
    assert (
        sum(int(context.size.split(", ", 1)[1].split()[0].replace(",", "")) for context in example.contexts) == 12_000
    )


def test_hostile_names_leave_no_element_and_no_attribute_of_their_own(hostile_page):
    page = hostile_page
    assert len(page.scripts) == 4
    assert [kind.get("type") for kind, _ in page.scripts] == ["application/json", "application/json", None, None]
    for tag, attributes in page.elements:
        assert tag not in ("img", "b script")
        assert not any(name.startswith("on") for name in attributes)
    assert page.data("report")["title"] == NAMES[1]
    assert {row["agent"] for row in page.data("report")["board"]} == set(NAMES)


def test_hostile_names_are_read_as_they_are_written(hostile_page):
    for name in NAMES:
        assert " ".join(shown(name, 44).split()) in hostile_page.text


def test_no_control_character_reaches_any_form(hostile):
    for form in ("html", "md", "json"):
        text = hostile.text(form)
        text.encode("utf-8")
        assert not set("\x1b\u202e\u2028") & set(text)


def test_a_template_in_a_name_is_not_filled_in(hostile_page):
    assert "{{ 7 * 7 }}" in hostile_page.text


def test_markdown_shows_hostile_names_as_they_are(hostile):
    text = hostile.markdown()
    assert not re.search(r"(?<!\\)<(?!/?(details|summary)>)", text)


def test_the_page_of_129_agents_stays_small():
    rows = [
        (i, j, [10 + (j - i) % 7, 10, 3, 1])
        for i in range(129)
        for j in range(i + 1, 129)
        if (i + j) % 3 == 0 or j == i + 1
    ]
    pairs = Pairs(tuple(f"agent-with-a-name-{i:03d}" for i in range(129)), *map(list, zip(*rows, strict=True)))
    made = report(pairs, methods=["copeland", "bradley_terry"], title="Many")
    assert len(made.html()) < 4 * MEGABYTE
    assert len(made.board) == 129


def test_a_file_is_written_whole_or_not_at_all(small, tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UsageError, match="No space left"):
        small.save(path)
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["r.html"]


def test_an_interrupted_write_leaves_nothing_behind(small, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small.save(tmp_path / "r.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["missing/r.html", "r.txt", "."])
def test_a_path_that_will_not_do_is_a_sentence(small, tmp_path, place):
    with pytest.raises(UsageError) as caught:
        small.save(tmp_path / place)
    assert str(caught.value).endswith(".")
    assert not list(tmp_path.iterdir())


def test_every_form_can_be_saved(small, tmp_path):
    for form in ("html", "md", "json"):
        assert small.save(tmp_path / f"r.{form}").read_text(encoding="utf-8") == small.text(form)


def test_evidence_without_counts_says_what_it_cannot_say():
    made = report(WinRates([[0.5, 0.7], [0.3, 0.5]], ("ada", "bob")))
    assert made.verdict[0].mark == UNKNOWN
    assert "needs counts" in made.not_run["resolution"]
    assert "cannot be" in made.html()
    margins = report(Margins([[0, 2], [-2, 0]], ("ada", "bob")))
    assert margins.core is None
    assert "core" in margins.not_run
    assert margins.html()


def test_rankings_and_a_lone_agent_have_reports_too():
    votes = report(Ballots.of([[["A"], ["B"], ["C"]], [["B"], ["A"], ["C"]], [["A"], ["C"], ["B"]]], count=[20, 10, 5]))
    assert "borda" in [ranking.method for ranking in votes.comparison.rankings]
    assert votes.board[0].agent == "A"
    assert votes.html()


def test_a_method_without_an_answer_is_named_and_the_others_stay():
    made = report(Battles.of([("ada", "bob", 1), ("cyd", "dan", 1)]))
    assert "bradley_terry" in made.not_run
    assert "copeland" in [ranking.method for ranking in made.comparison.rankings]
    assert any("failed" in str(sentence) for sentence in made.verdict)
    assert made.html()


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ({"level": 1.5}, "level"),
        ({"methods": ["shulze"]}, "schulze"),
        ({"contexts": "category"}, "category"),
        ({"methods": ["borda"]}, "borda"),
    ],
)
def test_wrong_arguments_are_sentences(told, names):
    with pytest.raises(UsageError, match=names):
        report(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]), **told)


def test_no_battles_at_all_leave_an_honest_report():
    made = report(Pairs(("ada", "bob"), [], [], []))
    assert made.verdict[0].mark == UNKNOWN


def test_the_hash_is_that_of_the_file(tmp_path):
    import hashlib

    path = tmp_path / "b.csv"
    path.write_text("model_a,model_b,winner\nada,bob,model_a\nbob,ada,model_a\nada,bob,model_a\n")
    made = report(bp.read(path))
    assert list(made.provenance.sources.values()) == [hashlib.sha256(path.read_bytes()).hexdigest()]
    assert made.title == "Report on b.csv"


def test_without_a_file_the_hash_is_of_the_counts_whatever_their_order():
    rows = [("ada", "bob", 1.0), ("bob", "cyd", 0.5), ("cyd", "ada", 1.0)]
    one, other = (report(Battles.of(list(order))).provenance.sources for order in (rows, rows[::-1]))
    assert one == other


def test_pictures_have_titles_and_plain_data(example):
    drawn = example.figures()
    assert {"rank_intervals", "win_rates", "majorities", "membership", "bump", "agreement", "sampling"} <= set(drawn)
    for spec in drawn.values():
        json.dumps(spec, allow_nan=False)
        assert spec["title"]["text"]


def test_a_notebook_shows_verdict_and_board_escaped(hostile):
    found = Page(hostile._repr_html_())
    assert not found.scripts
    assert " ".join(shown(NAMES[0]).split()) in found.text


def test_a_report_prints_its_verdict(example):
    assert str(example).splitlines()[1].endswith("(resolved)")


def test_the_library_is_kept_for_the_next_time_and_made_again_where_it_cannot_be(tmp_path, monkeypatch):
    from beatpath.reports.page.vega import vega_script

    made = []
    monkeypatch.setattr("vl_convert.javascript_bundle", lambda snippet: made.append(snippet) or "script")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert [vega_script(), vega_script()] == ["script", "script"]
    assert len(made) == 1
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert [vega_script(), vega_script()] == ["script", "script"]
    assert len(made) == 3


def test_a_context_that_does_not_fit_what_was_told_has_no_answer_and_spoils_nothing():
    rows = [("ada", "bob", 1), ("bob", "ada", 1), ("ada", "bob", 0), ("cyd", "bob", 1), ("bob", "cyd", 1)] * 6
    tasks = ["code", "code", "code", "maths", "maths"] * 6
    made = report(Battles.of(rows, factors={"task": Factor.of(tasks)}), estimand={"ada": 1, "bob": 1})
    said = {context.name: context.verdict[0].mark for context in made.contexts}
    assert said["maths"] == UNKNOWN
    assert said["code"] != UNKNOWN


def test_no_agents_are_a_sentence():
    with pytest.raises(DataError, match="names none"):
        report(Battles.of([]))


def test_more_agents_than_a_page_can_show_is_a_sentence():
    with pytest.raises(DataError, match="at most 500 agents"):
        report(Pairs(tuple(f"a{i}" for i in range(501)), [0], [1], [[1, 1, 0, 0]]))


def test_weights_of_tasks_reach_every_part():
    made = bp.report(bp.only(bp.example(), ["aurora", "basalt", "cinder"]), weights={"code": 2.0})
    assert [context.name for context in made.contexts]
    assert any(one.name == "weights" for one in made.resolution.conventions)
