"""The library that draws: kept for the next time."""


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
