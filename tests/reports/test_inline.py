"""Data, scripts and pictures in a page: nothing in them can act."""

import base64
import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from beatpath.reports.render import fingerprint, json_block


@given(st.dictionaries(st.text(), st.text() | st.floats(allow_nan=False) | st.none()))
def test_data_come_back_as_they_were_and_hold_no_sign_of_markup(data):
    text = json_block(data)
    assert not set("<>&") & set(text)
    assert text.isascii()
    back = json.loads(text)
    assert {key: back[key] for key in data} == {
        key: None if value in (float("inf"), -float("inf")) else value for key, value in data.items()
    }


def test_a_fingerprint_is_what_a_browser_computes():
    text = "let x = 1;"
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert digest in fingerprint(text)
