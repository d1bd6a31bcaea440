"""Sentences: names set apart, lists that stop, and text that no name can act in."""

from beatpath._sentence import OPEN, RESOLVED, Name, Sentence, named, plain_text, together


def test_a_name_is_quoted_and_text_is_not():
    assert Sentence((Name("ada"), " leads."), RESOLVED, "board").text == "'ada' leads."


def test_a_hostile_name_is_shown_escaped():
    assert "\x1b" not in plain_text((Name("a\x1b[31m"), " leads"))


def test_a_long_list_stops_and_counts_the_rest():
    assert plain_text(named(list("abcdef"))) == "'a', 'b', 'c', 'd' and 2 more"
    assert plain_text(named(["a"])) == "'a'"
    assert plain_text(named(["a", "b"], last="or")) == "'a' or 'b'"


def test_items_of_a_list_may_have_parts():
    assert plain_text(together([(Name("a"), " (1)"), (Name("b"), " (2)")])) == "'a' (1) and 'b' (2)"


def test_plain_data_hold_words_mark_and_place():
    assert Sentence(("x.",), OPEN, "core").to_dict() == {"sentence": "x.", "mark": OPEN, "evidence": "core"}
