#!/bin/sh
# An ImageTagMirrorSet with the workers paused; then the rollout, and a pull through the mirror.
set -eu
cd "$(dirname "$0")"
. ../story.sh

CONF=/etc/containers/registries.conf
boots() {
  query get nodes -o 'jsonpath={.items[*].status.nodeInfo.bootID}'
}

title 'All pools are updated.'
all_updated
worker=$(first_worker)
before=$(rendered_of worker)
master_before=$(rendered_of master)
boots_before=$(boots)

title 'Pause the workers, and apply the mirrors.'
run patch mcp/worker --type merge --patch '{"spec":{"paused":true}}'
run apply -f itms.yaml
rolled_out master "$master_before"
run wait mcp/worker --for=condition=Updated=False --timeout="$TIMEOUT"
after=$(rendered_of worker)
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$before"
run get mcp

title 'The maintenance window: unpause.'
run patch mcp/worker --type merge --patch '{"spec":{"paused":false}}'
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run get nodes -o 'custom-columns=NAME:.metadata.name,CURRENT:.metadata.annotations.machineconfiguration\.openshift\.io/currentConfig,STATE:.metadata.annotations.machineconfiguration\.openshift\.io/state'
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$after"
expect 'the boots of all nodes' "$(boots)" "$boots_before"

title "The file on $worker, and a pull through the mirror."
found=$(on_node "$worker" cat "$CONF" | tee /dev/stderr | grep -c 'location = "mirror.internal.example.com/docker-hub"')
expect "the mirrors of docker.io on $worker" "$found" 1
pulled=$(on_node "$worker" pull registry.example.com/platform/os:1.20260101.0 | tail -n 1)
pulled=${pulled#Image is up to date for }
expect 'the image that was pulled' "${pulled%@*}" 'registry.example.com/platform/os'

title 'Revert all changes.'
master_after=$(rendered_of master)
run delete -f itms.yaml
rolled_out worker "$after"
rolled_out master "$master_after"
expect 'the config of all workers' "$(desired_of node-role.kubernetes.io/worker)" "$before"
