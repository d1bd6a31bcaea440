"""What the tests of file formats share: fixtures by name, evidence as plain dictionaries, and systematic damage."""

import copy
import json
import zipfile

from beatpath.data.formats.reader import Head
from beatpath.data.sources.source import Options, find
from beatpath.testing import JUNK, json_places, require_account, require_sentence, spoiled
from helpers.paths import FORMAT_FILES

FILES = FORMAT_FILES


def sources_of(*where):
    return [source for place in where for source in find(FILES / place)]


def claimed(reader, *where):
    return [source for source in sources_of(*where) if reader.takes(Head(source))]


def read(reader, *where, **options):
    """Read what the reader claims of these fixtures (or paths), and check the account."""
    return require_account(reader.read(claimed(reader, *where), Options(**options)), reader)


def column(evidence, name):
    return evidence.factors[name].names()


def scores_by(evidence, *names):
    """Values by agent and the named columns; every combination must be there once."""
    columns = [[evidence.agents[a] for a in evidence.agent], *(column(evidence, name) for name in names)]
    keys = list(zip(*columns, strict=True))
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, evidence.value.tolist(), strict=True))


def battle_list(battles):
    return [
        (battles.agents[a], battles.agents[b], o) for a, b, o in zip(battles.a, battles.b, battles.outcome, strict=True)
    ]


def write(path, content):
    """Write JSON; JSON Lines or an archive of JSON members for a name that says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".eval" and isinstance(content, dict):
        with zipfile.ZipFile(path, "w") as archive:
            for name, member in content.items():
                archive.writestr(name, json.dumps(member))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in content))
    else:
        path.write_text(json.dumps(content))
    return path


def without(content, path):
    """A copy with one place missing."""
    content = copy.deepcopy(content)
    part = content
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    return content


def assert_damage_ends_in_a_sentence(reader, path, content, **options):
    """Damage every place in every way: reading must succeed, or raise an error of ours that ends in a full stop."""
    sentences = []
    for place in json_places(content):
        cases = [spoiled(content, place, junk) for junk in JUNK] + ([without(content, place)] if place else [])
        for case in cases:
            if path.suffix == ".jsonl" and not isinstance(case, list):
                case = [case]
            write(path, case)
            sentences.append(require_sentence(reader, path, Options(**options)))
    assert any(sentences)


def plain_pairs(p):
    """Cells by the names of the pair and its keys, whichever way round the pair stands."""
    cells = {}
    for k in range(len(p)):
        a, b, row = p.agents[p.a[k]], p.agents[p.b[k]], p.counts[k].tolist()
        keys = {name: f.names()[k] for name, f in p.keys.items() if f.levels}
        if a > b:
            a, b, row = b, a, [row[1], row[0], *row[2:]]
            turned = {"a first": "b first", "b first": "a first"}
            keys |= {"position": turned.get(keys["position"], keys["position"])} if "position" in keys else {}
        cell = (a, b, tuple(sorted(keys.items())))
        assert cell not in cells
        cells[cell] = (row, int(p.battles[k]))
    return cells
