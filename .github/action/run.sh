#!/usr/bin/env bash
# Asks the data what the action's inputs ask, and writes the answer into the job summary.
#
# Reads the inputs, BEATPATH_BASE and the others below; writes to GITHUB_STEP_SUMMARY and GITHUB_OUTPUT, and for the comment into
# RUNNER_TEMP. Ends as beatpath does: 0 fine, 1 the data will not do, 2 wrong usage, 3 a claim is not supported. Every text reaches
# beatpath as one whole argument and is never run, whatever stands in it.
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
    beatpath "$@" >"$answer" 2>"$folder/remarks"
    status=$?
    cat "$folder/remarks" # on the stream that carries the guard, lest it overtake it
    echo "::$guard::"
}

# Ends where a path could become another line of the outputs.
one_line() {
    case $2 in *$'\n'* | *$'\r'*) usage "\`$1\` must be one path on one line." ;; esac
}

base=${BEATPATH_BASE:-} new=${BEATPATH_NEW:-} file=${BEATPATH_FILE:-} report=${BEATPATH_REPORT:-} badge=${BEATPATH_BADGE:-}
one_line report "$report"
one_line badge "$badge"
if [ -n "$base$new" ]; then
    if [ -z "$base" ] || [ -z "$new" ] || [ -n "$file" ]; then
        usage "\`base\` and \`new\` must both name a run, and \`file\` be empty."
    fi
    case ${BEATPATH_CLUSTER:-} in
    *[![:space:]]*$'\n'*[![:space:]]*) usage "\`cluster\` must be one column for two runs." ;;
    esac
elif [ -z "$file" ]; then
    usage "\`base\` and \`new\`, or \`file\`, must name what to read; they are empty."
elif [ -n "$badge${BEATPATH_METRIC:-}${BEATPATH_COST:-}" ]; then
    usage "\`badge\`, \`metric\` and \`cost\` are for two runs, \`base\` and \`new\`; they must be empty with \`file\`."
fi

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
if [ -n "$base" ]; then
    options=(${reading[@]+"${reading[@]}"} ${claims[@]+"${claims[@]}"} --format=md)
    if [ -n "${BEATPATH_METRIC:-}" ]; then options+=("--metric=$BEATPATH_METRIC"); fi
    if [ -n "${BEATPATH_COST:-}" ]; then options+=("--cost=$BEATPATH_COST"); fi
    if [ -n "$report" ]; then options+=(-o "$report"); fi
    if [ -n "$badge" ]; then options+=("--badge=$badge"); fi
    beatpath_into "$folder/answer" compare "${options[@]}" -- "base=$base" "new=$new"
else
    if [ -n "$report" ]; then
        beatpath_into "$folder/verdict" report ${reading[@]+"${reading[@]}"} "--out=$report" -- "$file"
    fi
    if [ "$status" -eq 0 ] && [ "${#claims[@]}" -gt 0 ]; then
        heading="## Claims"
        beatpath_into "$folder/answer" resolve ${reading[@]+"${reading[@]}"} "${claims[@]}" --format=md -- "$file"
    elif [ "$status" -eq 0 ]; then
        beatpath_into "$folder/answer" report ${reading[@]+"${reading[@]}"} --format=md --out=- -- "$file"
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
} >"$folder/summary"
cat "$folder/summary" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
body=
if [ -n "$base" ] && [ "${BEATPATH_COMMENT:-}" = true ] && [ -n "${RUNNER_TEMP:-}" ]; then
    body=$RUNNER_TEMP/$guard.md
    cp "$folder/summary" "$body"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    case $status in 0 | 3) ;; *) report='' badge='' ;; esac
    printf 'status=%s\nreport=%s\nbadge=%s\nbody=%s\n' "$status" "$report" "$badge" "$body" >>"$GITHUB_OUTPUT"
fi
if [ "$status" -eq 3 ]; then
    echo "::error title=beatpath::The data do not support a claim. The job summary says which."
elif [ "$status" -ne 0 ]; then
    echo "::error title=beatpath::beatpath ended with exit status $status. The job summary says why."
fi
exit "$status"
