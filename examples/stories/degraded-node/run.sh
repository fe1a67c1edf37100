#!/bin/sh
# Config drift on one node: where the cause is reported, and how the node is mended.
set -eu
cd "$(dirname "$0")"
. ../story.sh

MOTD=/etc/motd.d/50-worker

title 'All pools are updated. A file for all workers is rolled out.'
all_updated
worker=$(first_worker)
before=$(rendered_of worker)
run apply -f 50-worker-motd.yaml
rolled_out worker "$before"
wanted=$(on_node "$worker" cat "$MOTD" | tail -n 1)
expect "the file on $worker" "$wanted" 'Managed by the machine config operator'

title "Somebody changes the file on $worker by hand."
disk=$(dirname "${KUBECONFIG:?KUBECONFIG has to name the kubeconfig of millwright up}")/nodes/$worker/rootfs
echo 'changed by hand' >>"$disk$MOTD"
run wait mcp/worker --for=condition=Degraded --timeout="$TIMEOUT"
run get mcp
expect "the state of $worker" "$(annotation_of "$worker" state)" Degraded

title 'The cause: annotations, pool, events, and the log of its daemon.'
reason=$(annotation_of "$worker" reason)
expect 'the reason' "${reason##*: }" "content mismatch for file \"$MOTD\""
message_of worker NodeDegraded
echo
run get events --field-selector "involvedObject.name=$worker"
pod=$(query -n "$NAMESPACE" get pods -l k8s-app=machine-config-daemon --field-selector "spec.nodeName=$worker" -o name)
run -n "$NAMESPACE" logs "$pod" -c machine-config-daemon --tail=5

title 'Make the daemon apply the whole config again.'
on_node "$worker" touch /run/machine-config-daemon-force
run wait mcp/worker --for=condition=Degraded=False --timeout="$TIMEOUT"
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
expect "the file on $worker" "$(on_node "$worker" cat "$MOTD" | tail -n +2)" "$wanted"
expect "the state of $worker" "$(annotation_of "$worker" state)" Done

title 'Revert all changes.'
after=$(rendered_of worker)
run delete -f 50-worker-motd.yaml
rolled_out worker "$after"
