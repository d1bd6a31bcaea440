#!/usr/bin/env bash
# Compares the run of a change with the accepted one, in any CI system. Ends with 3 where the data do not support the claim.
set -euo pipefail
cd "$(dirname "$0")"
beatpath compare "base=${1:-runs/base.csv}" "new=${2:-runs/new.csv}" --cost price --claim "new at most 2 points below base" \
    -o report.html -o comment.md --badge badge.json
