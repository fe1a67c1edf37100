#!/bin/sh
# A pool that is always paused: its nodes are updated only in their own maintenance windows.
set -eu
cd "$(dirname "$0")"
. ../story.sh

node=${GPU_NODE:-worker-2}

title 'All pools are updated.'
all_updated
before=$(config_of "$node")

title "A pool for the nodes with accelerators, and $node moves into it."
run apply -f gpu-worker.yaml
run label node "$node" node-role.kubernetes.io/gpu-worker=
run label node "$node" node-role.kubernetes.io/worker-
run wait mcp/gpu-worker --for=jsonpath='{.status.machineCount}'=1 --timeout="$TIMEOUT"
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run get mcp
expect "the config of $node" "$(config_of "$node")" "$before"

title 'A change for all workers: only the nodes of the other pools are updated.'
run apply -f 50-worker-huge-pages.yaml
rolled_out worker "$before"
run get mcp
expect "the config of $node" "$(config_of "$node")" "$before"

title 'The maintenance window of the accelerators: unpause, watch, and pause again.'
run patch mcp/gpu-worker --type merge --patch '{"spec":{"paused":false}}'
run wait mcp/gpu-worker --for=condition=Updated --timeout="$TIMEOUT"
run patch mcp/gpu-worker --type merge --patch '{"spec":{"paused":true}}'
run get mcp
expect "the config of $node" "$(config_of "$node")" "$(rendered_of gpu-worker)"

title "Revert all changes: $node moves back to the workers, and the change is deleted."
run label node "$node" node-role.kubernetes.io/worker=
run label node "$node" node-role.kubernetes.io/gpu-worker-
run wait mcp/gpu-worker --for=jsonpath='{.status.machineCount}'=0 --timeout="$TIMEOUT"
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run delete -f gpu-worker.yaml
changed=$(rendered_of worker)
run delete -f 50-worker-huge-pages.yaml
rolled_out worker "$changed"
expect "the config of $node" "$(config_of "$node")" "$before"
