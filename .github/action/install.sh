#!/usr/bin/env bash
# Installs beatpath for the action: the version asked for from PyPI, or else the code that came with the action.
set -euo pipefail

version=${BEATPATH_VERSION:-}
if [ -z "$version" ]; then
    python -m pip install --quiet "$GITHUB_ACTION_PATH"
elif [[ $version =~ ^[0-9][0-9A-Za-z.+!]*$ ]]; then
    python -m pip install --quiet "beatpath==$version"
else
    echo "beatpath: \`version\` must be a version such as 0.1.0; got another text." >&2
    exit 2
fi
