#!/usr/bin/env bash
# Checks the specifications of the action: annotations on standard output, a table in the summary of the step.
#
#   PROGRAM   tsl-synth
#   SPECS     files, folders and globs, separated by blanks or one in each line
#   LIMIT     time for each; DENY, BASELINE: as the flags, or empty
#   VERDICTS  the folder of the cache
set -euo pipefail

specs=()
while IFS= read -r line; do
  line=${line%$'\r'}
  # A line that is the name of a file is one name, whatever blanks it has.
  if [ -n "$line" ] && [ -e "$line" ]; then
    specs+=("$line")
  elif [[ $line =~ [^[:blank:]] ]]; then
    read -r -a words <<<"$line"
    specs+=("${words[@]}")
  fi
done <<<"$SPECS"
if [ ${#specs[@]} = 0 ]; then
  echo "::error file=.github/workflows,title=tsl-synth::the input specs names nothing"
  [ -z "${GITHUB_OUTPUT:-}" ] || echo "exit-code=2" >>"$GITHUB_OUTPUT"
  exit 2
fi

args=(check --each --format github --time-limit "$LIMIT")
[ -z "${DENY:-}" ] || args+=("--deny=$DENY")
[ -z "${BASELINE:-}" ] || args+=(--baseline "$BASELINE")
[ -z "${VERDICTS:-}" ] || args+=(--cache "$VERDICTS")
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || args+=(--summary "$GITHUB_STEP_SUMMARY")

# The globs are expanded by the program, so that nothing in a name is ever read by a shell.
code=0
"$PROGRAM" "${args[@]}" -- "${specs[@]}" </dev/null || code=$?
[ -z "${GITHUB_OUTPUT:-}" ] || echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
