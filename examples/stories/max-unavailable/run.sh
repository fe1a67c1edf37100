#!/bin/sh
# How many nodes of a pool are away at a time.
set -eu
cd "$(dirname "$0")"
. ../story.sh

tell 'Everything is as it should be. The pool says nothing of maxUnavailable, so that it is 1.'
all_updated
usual=$(ask get mcp worker -o 'jsonpath={.spec.maxUnavailable}')

tell 'Faster, at the price of more capacity: two workers at a time.'
run patch mcp/worker --type merge --patch '{"spec":{"maxUnavailable": 2}}'
run apply -f 50-worker-time.yaml
run wait mcp/worker --for=jsonpath='{.status.unavailableMachineCount}'=2 --timeout="$TIMEOUT"
run get nodes
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run get mcp

tell 'Slower and safer, as before: one at a time. Taking the change away shows it.'
run patch mcp/worker --type merge --patch "{\"spec\":{\"maxUnavailable\": ${usual:-null}}}"
run delete -f 50-worker-time.yaml
run wait mcp/worker --for=jsonpath='{.status.unavailableMachineCount}'=1 --timeout="$TIMEOUT"
run get nodes
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run get mcp
