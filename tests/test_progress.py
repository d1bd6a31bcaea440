"""Listeners are called; nobody else is."""

from beatpath._progress import Listener, doing, listening, partly


def test_nobody_listens_by_default():
    doing("anything")
    assert not partly()


def test_a_listener_is_called_while_it_listens_and_no_longer():
    heard = []
    with listening(Listener(lambda what, share: heard.append((what, share)), partly=True)):
        doing("counting", 0.5)
        assert partly()
    doing("unheard")
    assert heard == [("counting", 0.5)]
    assert not partly()
