#!/bin/sh
# How many nodes of a pool are unavailable at a time.
set -eu
cd "$(dirname "$0")"
. ../story.sh

counts=$(mktemp)
watching=
trap '[ -z "$watching" ] || kill "$watching"; rm -f "$counts"' EXIT

# watch_counts: records the number of unavailable workers whenever it changes.
watch_counts() {
  $KUBECTL get mcp/worker --watch -o 'jsonpath={.status.unavailableMachineCount}{"\n"}' >"$counts" &
  watching=$!
}

# expect_most_unavailable N: the maximum since the watch began.
expect_most_unavailable() {
  kill "$watching"
  wait "$watching" || true
  watching=
  expect 'the most workers unavailable at a time' "$(sort -n "$counts" | tail -n 1)" "$1"
}

title 'All pools are updated. The pool does not set maxUnavailable: the default is 1.'
all_updated
before=$(rendered_of worker)
expect maxUnavailable "$(query get mcp worker -o 'jsonpath={.spec.maxUnavailable}')" ''

title 'Faster, with less capacity meanwhile: two workers at a time.'
run patch mcp/worker --type merge --patch '{"spec":{"maxUnavailable": 2}}'
watch_counts
run apply -f 50-worker-time.yaml
rolled_out worker "$before"
run get mcp
expect_most_unavailable 2

title 'Slower and safer, as before: delete the change one worker at a time.'
run patch mcp/worker --type merge --patch '{"spec":{"maxUnavailable": null}}'
watch_counts
after=$(rendered_of worker)
run delete -f 50-worker-time.yaml
rolled_out worker "$after"
run get mcp
expect_most_unavailable 1
