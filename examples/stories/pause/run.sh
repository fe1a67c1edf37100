#!/bin/sh
# Pause a pool, apply a change, inspect the rendered config, and unpause in the maintenance window.
set -eu
cd "$(dirname "$0")"
. ../story.sh

title 'All pools are updated.'
all_updated
before=$(rendered_of worker)

title 'Pause the workers before the change: no node reboots.'
run patch mcp/worker --type merge --patch '{"spec":{"paused":true}}'

title 'Apply the change. It is rendered while the pool is paused.'
run apply -f 50-worker-mirror.yaml
run wait mcp/worker --for=condition=Updated=False --timeout="$TIMEOUT"
run get mc
run get mcp
after=$(rendered_of worker)
[ "$after" != "$before" ] || expect 'the rendered config' "$after" 'a new one'
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$before"

title 'The maintenance window: unpause, and the rollout starts.'
run patch mcp/worker --type merge --patch '{"spec":{"paused":false}}'
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run get mcp
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$after"

title 'Revert all changes.'
run delete -f 50-worker-mirror.yaml
rolled_out worker "$after"
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$before"
