#!/bin/sh
# Pause a pool, change it, look at what is coming, and let it happen when the time is right.
set -eu
cd "$(dirname "$0")"
. ../story.sh

tell 'Everything is as it should be.'
all_updated
before=$(rendered_of worker)

tell 'Pause the workers before the change: nothing restarts.'
run patch mcp/worker --type merge --patch '{"spec":{"paused":true}}'

tell 'Make the change. It is rendered all the same.'
run apply -f 50-worker-mirror.yaml
run wait mcp/worker --for=condition=Updated=False --timeout="$TIMEOUT"
run get mc
run get mcp
after=$(rendered_of worker)
[ "$after" != "$before" ] || expect 'the rendered config' "$after" 'a new one'
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$before"

tell 'The maintenance window: unpause, and the rollout starts.'
run patch mcp/worker --type merge --patch '{"spec":{"paused":false}}'
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run get mcp
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$after"

tell 'Put everything back.'
run delete -f 50-worker-mirror.yaml
rolled_out worker "$after"
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$before"
