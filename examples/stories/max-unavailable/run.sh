#!/bin/sh
# How many nodes of a pool are away at a time.
set -eu
cd "$(dirname "$0")"
. ../story.sh

counts=$(mktemp)
watching=
trap '[ -z "$watching" ] || kill "$watching"; rm -f "$counts"' EXIT

# watch_counts: from now on, notes how many workers are away, whenever that changes.
watch_counts() {
  $KUBECTL get mcp/worker --watch -o 'jsonpath={.status.unavailableMachineCount}{"\n"}' >"$counts" &
  watching=$!
}

# expect_most_away N: that was the most, since the watch began.
expect_most_away() {
  kill "$watching"
  wait "$watching" || true
  watching=
  expect 'the number of workers that were away at a time' "$(sort -n "$counts" | tail -n 1)" "$1"
}

tell 'Everything is as it should be. The pool says nothing of maxUnavailable, so that it is 1.'
all_updated
before=$(rendered_of worker)
expect maxUnavailable "$(ask get mcp worker -o 'jsonpath={.spec.maxUnavailable}')" ''

tell 'Faster, at the price of more capacity: two workers at a time.'
run patch mcp/worker --type merge --patch '{"spec":{"maxUnavailable": 2}}'
watch_counts
run apply -f 50-worker-time.yaml
rolled_out worker "$before"
run get mcp
expect_most_away 2

tell 'Slower and safer, as before: one at a time. Taking the change away shows it.'
run patch mcp/worker --type merge --patch '{"spec":{"maxUnavailable": null}}'
watch_counts
after=$(rendered_of worker)
run delete -f 50-worker-time.yaml
rolled_out worker "$after"
run get mcp
expect_most_away 1
