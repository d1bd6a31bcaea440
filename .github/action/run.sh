#!/usr/bin/env bash
# Asks the data what the action's inputs ask, and writes the answer into the job summary.
#
# Reads BEATPATH_FILE, BEATPATH_CLAIMS, BEATPATH_MAP, BEATPATH_LABELS, BEATPATH_CLUSTER and BEATPATH_REPORT; writes to
# GITHUB_STEP_SUMMARY and GITHUB_OUTPUT. Ends as beatpath does: 0 fine, 1 the data will not do, 2 wrong usage, 3 a claim
# is not supported. Every text reaches beatpath as one whole argument and is never run, whatever stands in it.
set -uo pipefail

summary_limit=1000000 # bytes; GitHub takes 1 MiB a step
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
guard="beatpath-$RANDOM$RANDOM$RANDOM$RANDOM" # nobody who wrote the data can know it

usage() {
    printf 'beatpath: %s\n' "$1" >&2
    exit 2
}

# One option for every line that is not blank.
lines() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        line="${line#"${line%%[![:space:]]*}"}"
        line="${line%"${line##*[![:space:]]}"}"
        if [ -n "$line" ]; then options+=("$1=$line"); fi
    done <<<"$2"
}

# Runs beatpath; its answer goes to a file, and its remarks to another and to the log.
beatpath_into() {
    local answer=$1
    shift
    echo "::stop-commands::$guard" # names in the data must not be taken for commands to the runner
    beatpath "$@" -- "$BEATPATH_FILE" >"$answer" 2>"$folder/remarks"
    status=$?
    cat "$folder/remarks" # on the stream that carries the guard, lest it overtake it
    echo "::$guard::"
}

if [ -z "${BEATPATH_FILE:-}" ]; then usage "\`file\` must name what to read; it is empty."; fi
report=${BEATPATH_REPORT:-}
case $report in *$'\n'* | *$'\r'*) usage "\`report\` must be one path on one line." ;; esac

options=()
if [ -n "${BEATPATH_MAP:-}" ]; then options+=("--map=$BEATPATH_MAP"); fi
if [ -n "${BEATPATH_LABELS:-}" ]; then options+=("--labels=$BEATPATH_LABELS"); fi
lines --cluster "${BEATPATH_CLUSTER:-}"
reading=(${options[@]+"${options[@]}"})
options=()
lines --claim "${BEATPATH_CLAIMS:-}"
claims=(${options[@]+"${options[@]}"})

status=0
heading=
: >"$folder/answer"
if [ -n "$report" ]; then
    beatpath_into "$folder/verdict" report ${reading[@]+"${reading[@]}"} "--out=$report"
fi
if [ "$status" -eq 0 ]; then
    if [ "${#claims[@]}" -gt 0 ]; then
        heading="## Claims"
        beatpath_into "$folder/answer" resolve ${reading[@]+"${reading[@]}"} "${claims[@]}" --format=md
    else
        beatpath_into "$folder/answer" report ${reading[@]+"${reading[@]}"} --format=md --out=-
    fi
fi

{
    if [ -n "$heading" ] && [ -s "$folder/answer" ]; then printf '%s\n\n' "$heading"; fi
    if [ "$(wc -c <"$folder/answer")" -gt "$summary_limit" ]; then
        head -c "$summary_limit" "$folder/answer"
        printf '\n\nThe answer is longer than a job summary may be, and was cut here.\n'
    else
        cat "$folder/answer"
    fi
    if [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then
        printf '## beatpath ended with exit status %s\n\n' "$status"
        sed 's/^/    /' "$folder/remarks" # as code, in which no markup is taken for markup
    fi
} >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    case $status in 0 | 3) ;; *) report= ;; esac
    printf 'status=%s\nreport=%s\n' "$status" "$report" >>"$GITHUB_OUTPUT"
fi
if [ "$status" -eq 3 ]; then
    echo "::error title=beatpath::The data do not support a claim. The job summary says which."
elif [ "$status" -ne 0 ]; then
    echo "::error title=beatpath::beatpath ended with exit status $status. The job summary says why."
fi
exit "$status"
