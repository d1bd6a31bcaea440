"""What a public repository promises outside its code: workflows, forms, links and the action hold together."""

import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

import beatpath

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(set((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")) - {GITHUB / "ISSUE_TEMPLATE" / "config.yml"})
EXAMPLES = sorted((ROOT / "examples").rglob("*.yml"))
SCHEMAS = {
    "github-workflows": [*WORKFLOWS, *EXAMPLES],
    "github-actions": [ROOT / "action.yml"],
    "github-issue-forms": FORMS,
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "dependabot": [GITHUB / "dependabot.yml"],
    "readthedocs": [ROOT / ".readthedocs.yaml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}
MORE = {  # what a job may do beyond reading the repository
    "publish": {"id-token": "write"},
    "codeql": {"contents": "read", "security-events": "write"},
}
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *GITHUB.rglob("*.md")])
PAGES = [page for page in PAGES if "_build" not in page.parts]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
SHOWN = [ROOT / "docs" / "report.md", ROOT / "docs" / "how_to" / "ci.md"]  # pages with a workflow that uses the action
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def text_of(path):
    return path.read_text(encoding="utf-8")


def loaded(path):
    return yaml.safe_load(text_of(path))


def relative_name(path):
    return path.relative_to(ROOT).as_posix()


def steps(path):
    """Every step of a workflow or of the action."""
    workflow = loaded(path)
    jobs = [workflow["runs"]] if "runs" in workflow else workflow["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def commands(path):
    """Every line that a workflow runs."""
    return [line.strip() for step in steps(path) for line in step.get("run", "").splitlines() if line.strip()]


def verbs():
    return set(re.search(r"^\.PHONY: (.*)$", text_of(ROOT / "Makefile"), re.MULTILINE)[1].split())


def project():
    return tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]


def valid(schema, *paths):
    """Hold files to a schema that check-jsonschema brings along, so that nothing is fetched."""
    command = [sys.executable, "-m", "check_jsonschema", "--default-filetype", "yaml"]
    command += ["--builtin-schema", f"vendor.{schema}", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_file_that_github_and_others_read_meets_its_schema(schema):
    pytest.importorskip("check_jsonschema")
    assert SCHEMAS[schema]
    valid(schema, *SCHEMAS[schema])


def test_the_schemas_do_refuse_what_is_wrong(tmp_path):
    pytest.importorskip("check_jsonschema")
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: push\njobs: {a: {runs_on: ubuntu-latest, steps: [{run: ls}]}}\n")
    with pytest.raises(AssertionError, match="runs_on"):
        valid("github-workflows", wrong)


@pytest.mark.parametrize("page", [*SHOWN, ROOT / "examples" / "ci" / "evaluation.yml"], ids=lambda path: path.name)
def test_a_workflow_shown_to_users_is_valid_and_asks_for_inputs_that_exist(page, tmp_path):
    pytest.importorskip("check_jsonschema")
    shown = tmp_path / "shown.yml"
    block = re.search(r"^```yaml\n(.*?)^```", text_of(page), re.MULTILINE | re.DOTALL)
    shown.write_text(block[1] if block else text_of(page))
    valid("github-workflows", shown)
    action = loaded(ROOT / "action.yml")
    inputs = [step["with"] for step in steps(shown) if step.get("uses", "").startswith("beatpath/beatpath@")]
    assert inputs
    assert all(set(one) <= set(action["inputs"]) for one in inputs)


def test_every_input_and_output_of_the_action_is_documented():
    action, page = loaded(ROOT / "action.yml"), text_of(ROOT / "docs" / "how_to" / "ci.md")
    assert all(f"`{name}`" in page for name in [*action["inputs"], *action["outputs"]])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_command_of_a_workflow_is_a_verb_or_is_documented(path):
    documented = FENCED.findall(text_of(ROOT / "CONTRIBUTING.md"))
    lines = {line.strip() for block in documented for line in block.splitlines()}
    for line in commands(path):
        if line.startswith("make "):
            assert {word for word in line.split()[1:] if "=" not in word} <= verbs()
        elif "$GITHUB_REF_NAME" not in line:  # there is no tag anywhere else
            assert line in lines, f"{relative_name(path)}: {line}"


def test_the_verbs_are_documented_where_a_contributor_looks():
    assert set(re.findall(r"^\| `make (\w+)` \|", text_of(ROOT / "CONTRIBUTING.md"), re.MULTILINE)) == verbs()


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_no_text_of_others_is_put_into_a_script(path):
    for line in commands(path):
        assert "${{" not in line, f"{relative_name(path)}: {line}"


@pytest.mark.parametrize("path", [*WORKFLOWS, *EXAMPLES, ROOT / "action.yml"], ids=lambda path: path.name)
def test_every_foreign_action_is_pinned_to_a_commit_with_its_version_beside_it(path):
    for step in steps(path):
        uses = step.get("uses", "./")
        assert uses.startswith(("./", "beatpath/beatpath@v")) or re.search(r"@[0-9a-f]{40}$", uses), (
            f"{relative_name(path)}: {uses}"
        )
    for line in text_of(path).splitlines():
        if re.search(r"uses: (?!beatpath/)[^.]", line):
            assert re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), f"{relative_name(path)}: {line}"


def test_an_action_has_one_commit_everywhere():
    pins = {}
    for path in [*WORKFLOWS, *EXAMPLES, ROOT / "action.yml", *SHOWN]:
        for name, commit in re.findall(r"uses: ([\w./-]+)@([0-9a-f]{40})", text_of(path)):
            pins.setdefault("/".join(name.split("/")[:2]), set()).add(commit)
    assert pins
    assert [name for name, commits in pins.items() if len(commits) > 1] == []


def test_zizmor_finds_nothing_in_the_workflows_and_the_action():
    zizmor = shutil.which("zizmor", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if zizmor is None:
        pytest.skip("zizmor is not installed")
    paths = [*WORKFLOWS, *EXAMPLES, ROOT / "action.yml", GITHUB / "dependabot.yml"]
    done = subprocess.run([zizmor, "--offline", "--no-progress", *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_do_no_more_than_it_must_and_ends(path):
    workflow = loaded(path)
    assert workflow["permissions"] in ({}, {"contents": "read"})
    assert workflow["concurrency"]["cancel-in-progress"] is (path.name != "release.yml")
    for name, job in workflow["jobs"].items():
        may = job.get("permissions", workflow["permissions"])
        assert may == MORE.get(name, {"contents": "read"})
        assert job["timeout-minutes"] <= 60


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_files_that_a_workflow_names_exist(path):
    for step in steps(path):
        if step.get("uses") == "./":
            assert all((ROOT / step["with"][name]).exists() for name in {"file", "base", "new"} & set(step["with"]))


def test_the_python_versions_of_tests_classifiers_and_metadata_agree():
    matrix = loaded(GITHUB / "workflows" / "tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    known = [match[1] for text in project()["classifiers"] if (match := re.search(r":: (3\.\d+)$", text))]
    assert matrix["python"] == known
    assert project()["requires-python"] == f">={known[0]}"
    assert sorted(matrix["os"]) == ["macos-latest", "ubuntu-latest", "windows-latest"]


def test_the_version_is_the_same_wherever_it_stands():
    assert str(loaded(ROOT / "CITATION.cff")["version"]) == beatpath.__version__
    assert set(re.findall(r"(?:version = \{|beatpath )(\d[\d.]*\d)", text_of(ROOT / "docs" / "cite.md"))) == {
        beatpath.__version__
    }
    assert f"\n## {beatpath.__version__} " in text_of(ROOT / "CHANGELOG.md")
    for page in [*SHOWN, ROOT / "examples" / "ci" / "evaluation.yml"]:
        assert set(re.findall(r"beatpath/beatpath@v([\d.]+)", text_of(page))) == {beatpath.__version__}


@pytest.mark.parametrize("page", PAGES, ids=relative_name)
def test_every_relative_link_leads_somewhere(page):
    for target in LINK.findall(FENCED.sub("", text_of(page))):
        if not re.match(r"[a-z]+:|#|mailto:", target):
            assert (page.parent / target.split("#")[0]).exists(), f"{relative_name(page)}: {target}"


@pytest.mark.parametrize("page", ["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"])
def test_a_visitor_finds_what_a_visitor_looks_for(page):
    assert (ROOT / page).is_file()


def test_addresses_of_the_project_are_one():
    home = project()["urls"]["Source"]
    for page in [*PAGES, *FORMS, GITHUB / "ISSUE_TEMPLATE" / "config.yml", ROOT / "CITATION.cff"]:
        for address in re.findall(r"https://github\.com/[\w-]*beatpath[\w-]*/[\w-]+", text_of(page)):
            assert address == home, f"{relative_name(page)}: {address}"


BATTLES = "model_a,model_b,winner\n" + "ada,bob,model_a\n" * 60 + "ada,bob,model_b\n" * 10 + "bob,cyd,tie\n" * 40


class Runner:
    """The environment that GitHub would set, in a folder."""

    def __init__(self, folder):
        self.folder, self.summary, self.output = folder, folder / "summary.md", folder / "output.txt"
        self.file("battles.csv", BATTLES)

    def file(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def tool(self, name, line):
        """A folder with a program of that name, which does that line."""
        (self.folder / "tools").mkdir()
        (self.folder / "tools" / name).write_text(f"#!/usr/bin/env bash\n{line}\n")
        (self.folder / "tools" / name).chmod(0o755)
        return self.folder / "tools"

    def run(self, script="run.sh", first_on_path=Path(sys.executable).parent, **inputs):
        self.summary.write_text("")
        self.output.write_text("")
        given = {f"BEATPATH_{name.upper()}": value for name, value in inputs.items()}
        environment = os.environ | given
        environment |= {"GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_OUTPUT": str(self.output)}
        environment |= {"RUNNER_TEMP": str(self.folder)}
        environment |= {"PATH": f"{first_on_path}{os.pathsep}{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ROOT)}
        command = ["bash", str(GITHUB / "action" / script)]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    @property
    def outputs(self):
        return dict(line.split("=", 1) for line in self.output.read_text().splitlines())


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


@pytest.mark.posix
def test_the_action_ends_with_3_where_a_claim_is_not_supported_and_says_which(runner):
    done = runner.run(file="battles.csv", claims="ada > bob\n\n  bob > ada  \r\n")
    assert done.returncode == 3, done.stderr
    summary = runner.summary.read_text()
    assert summary.startswith("## Claims\n\n### ")
    yes, no = [line for line in summary.splitlines()[2:] if line][:2]
    assert "is supported" in yes
    assert "is shown to be false" in no
    assert "::error title=beatpath::The data do not support a claim." in done.stdout
    assert runner.outputs == {"status": "3", "report": "", "badge": "", "body": ""}


@pytest.mark.posix
def test_the_action_ends_with_0_where_all_claims_are_supported(runner):
    done = runner.run(file="battles.csv", claims="ada > bob")
    assert done.returncode == 0, done.stderr
    assert "ada" in runner.summary.read_text()
    assert "::error" not in done.stdout
    assert runner.outputs["status"] == "0"


@pytest.mark.posix
def test_the_action_without_claims_reports_and_keeps_the_page(runner):
    done = runner.run(file="battles.csv", report="made.html")
    assert done.returncode == 0, done.stderr
    assert runner.summary.read_text().startswith("## Report on battles.csv")
    assert (runner.folder / "made.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert runner.outputs == {"status": "0", "report": "made.html", "badge": "", "body": ""}


@pytest.mark.posix
def test_the_action_keeps_the_page_even_where_a_claim_fails(runner):
    done = runner.run(file="battles.csv", claims="cyd is first", report="made.html", cluster="none")
    assert done.returncode == 3, done.stderr
    assert (runner.folder / "made.html").exists()
    assert runner.outputs == {"status": "3", "report": "made.html", "badge": "", "body": ""}


@pytest.mark.posix
def test_the_action_takes_maps_labels_and_names_that_look_like_options(runner):
    runner.file("--help $(touch pwned).csv", "p,q,said\n" + "ada,bob,L\n" * 30 + "bob,ada,draw\n" * 3)
    given = {"map": "agent_a=p,agent_b=q,outcome=said", "labels": '{"L": "a",\n "draw": "tie"}'}
    done = runner.run(file="--help $(touch pwned).csv", claims="ada > bob", **given)
    assert done.returncode == 0, done.stderr
    assert "is supported" in runner.summary.read_text()
    assert not (runner.folder / "pwned").exists()


@pytest.mark.posix
def test_nothing_in_an_input_is_run(runner):
    hostile = "\"; touch pwned; ' $(touch pwned) `touch pwned` & touch pwned #"
    for name in ("file", "claims", "map", "labels", "cluster", "report"):
        done = runner.run(**{"file": "battles.csv", "claims": "ada > bob", name: hostile})
        assert done.returncode in (1, 2), (name, done.stderr)
        assert runner.outputs["report"] == ""
    done = runner.run("install.sh", version=hostile)
    assert done.returncode == 2
    assert not (runner.folder / "pwned").exists()


@pytest.mark.posix
def test_names_in_the_data_give_no_orders_to_the_runner(runner):
    done = runner.run(first_on_path=runner.tool("beatpath", "echo ::error::boo >&2; exit 1"), file="battles.csv")
    assert done.returncode == 1
    orders = [line for line in done.stdout.splitlines() if line.startswith("::")]
    guard = re.fullmatch(r"::stop-commands::(beatpath-\d+)", orders[0])[1]
    assert orders[1:3] == ["::error::boo", f"::{guard}::"]
    assert "boo" not in orders[3] + done.stderr


@pytest.mark.posix
def test_the_action_says_in_the_summary_why_the_data_will_not_do(runner):
    runner.file("odd.csv", "model_a,model_b,winner\nada,bob,<b>dunno</b>\n")
    done = runner.run(file="odd.csv", claims="ada > bob")
    assert done.returncode == 1
    summary = runner.summary.read_text()
    assert summary.startswith("## beatpath ended with exit status 1\n\n    beatpath: ")
    assert all(line.startswith("    ") for line in summary.splitlines()[2:])
    assert "dunno" in summary


@pytest.mark.posix
def test_the_action_needs_a_file_and_one_path_for_the_report(runner):
    assert runner.run(file="").returncode == 2
    done = runner.run(file="battles.csv", report="a.html\nstatus=0")
    assert done.returncode == 2
    assert "`report` must be one path on one line" in done.stderr
    assert not runner.output.read_text()


@pytest.mark.posix
def test_the_action_cuts_what_is_longer_than_a_summary_may_be(runner):
    tools = runner.tool("beatpath", r"head -c 3000000 /dev/zero | tr '\0' x")
    assert runner.run(first_on_path=tools, file="battles.csv").returncode == 0
    summary = runner.summary.read_text()
    assert len(summary) < 2**20
    assert summary.endswith("was cut here.\n")


@pytest.mark.posix
@pytest.mark.parametrize(("version", "what"), [("", str(ROOT)), ("0.1.0", "beatpath==0.1.0")])
def test_the_action_installs_its_own_code_unless_given_a_version(runner, version, what):
    tools = runner.tool("python", r'printf "%s\n" "$@"')
    done = runner.run("install.sh", first_on_path=tools, version=version)
    assert done.stdout.splitlines() == ["-m", "pip", "install", "--quiet", what]


def test_the_action_hands_over_every_input_and_the_scripts_read_every_one():
    action = loaded(ROOT / "action.yml")
    handed = {name: value for step in steps(ROOT / "action.yml") for name, value in step.get("env", {}).items()}
    inputs = {f"${{{{ inputs.{name} }}}}" for name in set(action["inputs"]) - {"python-version"}}
    steps_own = {
        f"${{{{ {name} }}}}" for name in ("steps.ask.outputs.body", "steps.upload.outputs.artifact-url", "github.token")
    }
    assert set(handed.values()) == inputs | steps_own
    scripts = "".join(text_of(path) for path in (GITHUB / "action").glob("*.*"))
    assert set(handed) == set(re.findall(r"(?:\$\{?|environ\[['\"])(BEATPATH_\w+)", scripts))


SAMPLE = ROOT / "examples" / "ci"
RUNS = {"base": str(SAMPLE / "runs" / "base.csv"), "new": str(SAMPLE / "runs" / "new.csv")}


@pytest.mark.posix
def test_the_action_compares_two_runs_and_leaves_the_answer_for_the_comment(runner):
    done = runner.run(
        **RUNS, claims="new at most 2 points below base", cost="price", report="r.html", badge="b.json", comment="true"
    )
    assert done.returncode == 0, done.stderr
    summary = runner.summary.read_text(encoding="utf-8")
    assert summary.startswith("### 'new at most 2 points below base' is supported")
    assert "| all | 160 |" in summary
    assert Path(runner.outputs["body"]).read_text(encoding="utf-8") == summary
    assert (runner.folder / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((runner.folder / "b.json").read_text())["color"] == "brightgreen"
    assert {name: runner.outputs[name] for name in ("status", "report", "badge")} == {
        "status": "0",
        "report": "r.html",
        "badge": "b.json",
    }


@pytest.mark.posix
def test_the_action_ends_with_3_where_a_claim_about_two_runs_is_not_supported_and_still_reports(runner):
    done = runner.run(base=RUNS["new"], new=RUNS["base"], claims="new at most 2 points below base", report="r.html")
    assert done.returncode == 3, done.stderr
    assert "is not shown" in runner.summary.read_text(encoding="utf-8")
    assert runner.outputs == {"status": "3", "report": "r.html", "badge": "", "body": ""}


@pytest.mark.posix
@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        ({"base": RUNS["base"]}, "must both name a run"),
        ({**RUNS, "file": "battles.csv"}, "`file` be empty"),
        ({**RUNS, "cluster": "task\n id"}, "`cluster` must be one column"),
        ({**RUNS, "badge": "a.json\nstatus=0"}, "`badge` must be one path on one line"),
        ({"file": "battles.csv", "metric": "f1"}, "are for two runs"),
        ({}, "must name what to read"),
    ],
)
def test_the_action_says_which_inputs_go_together(runner, inputs, why):
    done = runner.run(**inputs)
    assert done.returncode == 2
    assert why in done.stderr
    assert not runner.output.read_text()


@pytest.mark.posix
def test_nothing_in_an_input_about_runs_is_run(runner):
    hostile = "\"; touch pwned; ' $(touch pwned) `touch pwned` & touch pwned #"
    for name in ("base", "new", "claims", "map", "cluster", "metric", "cost"):
        done = runner.run(**{**RUNS, name: hostile})
        assert done.returncode in (1, 2), (name, done.stderr)
    assert not (runner.folder / "pwned").exists()


class PullRequest(BaseHTTPRequestHandler):
    """GitHub's API of comments: 150 comments of others, and those that the action writes."""

    def do_GET(self):
        page = int(re.search(r"&page=(\d+)$", self.path)[1])
        self.reply(200, self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self):
        self.write({"id": 1000 + len(self.server.comments), "user": {"type": "Bot"}})

    def do_PATCH(self):
        number = int(self.path.rpartition("/")[2])
        self.write(next(one for one in self.server.comments if one["id"] == number))

    def write(self, comment):
        if self.server.status != 200 or self.headers["Authorization"] != "Bearer secret":
            return self.reply(403, {"message": "Resource not accessible by integration"})
        comment |= json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if comment not in self.server.comments:
            self.server.comments.append(comment)
        return self.reply(200, comment)

    def reply(self, status, document):
        self.server.calls.append((self.command, self.path))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def api():
    server = HTTPServer(("127.0.0.1", 0), PullRequest)
    server.status, server.calls = 200, []
    forged = '<!-- beatpath "eval" -->\nforged'
    server.comments = [{"id": k, "user": {"type": "User"} if k else None, "body": forged} for k in range(150)]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def comment(api, folder, event, body="### Better\n"):
    (folder / "event.json").write_text(json.dumps(event))
    (folder / "body.md").write_text(body, encoding="utf-8")
    environment = os.environ | {
        "BEATPATH_BODY": str(folder / "body.md"),
        "BEATPATH_ARTIFACT": "eval",
        "BEATPATH_URL": "https://example.org/1",
        "BEATPATH_TOKEN": "secret",
        "GITHUB_API_URL": f"http://127.0.0.1:{api.server_port}",
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "no_proxy": "*",
    }
    command = [sys.executable, str(GITHUB / "action" / "comment.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


PULL = {"pull_request": {"number": 7}}


def test_the_action_writes_one_comment_and_replaces_its_own_alone(api, tmp_path):
    comment(api, tmp_path, PULL)
    comment(api, tmp_path, PULL, "### Worse\n")
    assert [one["body"] for one in api.comments[150:]] == [
        '<!-- beatpath "eval" -->\n### Worse\n\n[Report](https://example.org/1)\n'
    ]
    assert all(one["body"].endswith("forged") for one in api.comments[:150])
    writes = [call for call in api.calls if call[0] != "GET"]
    assert writes == [
        ("POST", "/repos/owner/name/issues/7/comments"),
        ("PATCH", "/repos/owner/name/issues/comments/1150"),
    ]


def test_the_action_comments_on_pull_requests_alone_and_no_more_than_github_takes(api, tmp_path):
    comment(api, tmp_path, {"ref": "refs/heads/main"})
    assert api.calls == []
    comment(api, tmp_path, PULL, "a line of text\n" * 10_000)
    (own,) = api.comments[150:]
    assert len(own["body"]) < 65_536
    assert "\na line of text\n\nThe answer is longer than a comment may be, and was cut here.\n" in own["body"]


def test_a_build_that_may_not_comment_goes_on_and_says_so(api, tmp_path):
    api.status = 403
    assert comment(api, tmp_path, PULL).startswith("::notice title=beatpath::No comment was written (HTTPError 403)")


@pytest.mark.posix
def test_the_sample_repository_is_what_its_harness_writes_and_its_script_compares(tmp_path):
    folder = tmp_path / "ci"
    shutil.copytree(SAMPLE, folder)
    subprocess.run([sys.executable, "evaluate.py"], cwd=folder, check=True)
    runs = [list(csv.DictReader(text_of(folder / "runs" / f"{name}.csv").splitlines())) for name in ("base", "new")]
    assert [text_of(folder / "runs" / f"{name}.csv") for name in RUNS] == [
        text_of(Path(path)) for path in RUNS.values()
    ]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def check(*words):
        command = ["bash", "check.sh", *words]
        return subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"PATH": path, "COLUMNS": "160"},
            capture_output=True,
            text=True,
            check=False,
        )

    done = check()
    assert done.returncode == 0, done.stderr
    right = [[int(row["correct"]) for row in rows] for rows in runs]
    both, new, old, neither = (
        sum(pair == p for pair in zip(*right, strict=True)) for p in ((1, 1), (0, 1), (1, 0), (0, 0))
    )
    tail = sum(math.comb(new + old, k) for k in range(min(new, old) + 1)) / 2 ** (new + old)
    counts = f"both right {both} · only new {new} · only base {old} · both wrong {neither} · p = {2 * tail:.2g} (exact McNemar)"
    assert counts in done.stdout
    prices = [sum(float(row["price"]) for row in rows) for rows in runs]
    assert f"and {100 * (1 - prices[1] / prices[0]):.1f} % cheaper by price" in done.stdout
    comment = text_of(folder / "comment.md")
    assert comment in text_of(ROOT / "docs" / "how_to" / "ci.md")
    assert text_of(folder / "report.html").count("<td") > 4 * (new + old)
    assert json.loads(text_of(folder / "badge.json"))["color"] == "brightgreen"
    assert check("runs/new.csv", "runs/base.csv").returncode == 3


def test_the_line_for_other_systems_is_one_line_that_the_command_takes():
    page = text_of(ROOT / "docs" / "how_to" / "ci.md")
    lines = re.findall(r"beatpath compare [^'\n]*", "".join(FENCED.findall(page)))
    assert len(lines) == 3
    known = re.findall(
        r"--?\w+",
        subprocess.run(
            [sys.executable, "-m", "beatpath", "compare", "--help"], capture_output=True, text=True, check=True
        ).stdout,
    )
    assert all(set(re.findall(r" (--?\w+)", line)) <= set(known) for line in lines)
