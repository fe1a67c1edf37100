#!/bin/sh
# Pivot one node to another OS image by hand, see the pool report it, and pivot back.
set -eu
cd "$(dirname "$0")"
. ../story.sh

title 'All pools are updated.'
all_updated
worker=$(first_worker)
old=$(os_image 1.20260101.0)
new=$(os_image 1.20260201.0)

# pivot IMAGE: stages it, shows it above the booted one, reboots.
pivot() {
  on_node "$worker" pivot "$1" 2>&1 | tee "$work/pivot"
  on_node "$worker" status | tee "$work/status"
  boot=$(query get node "$worker" -o 'jsonpath={.status.nodeInfo.bootID}')
  on_node "$worker" reboot
  eventually "the reboot of $worker" sh -c "[ \"\$($KUBECTL get node $worker -o 'jsonpath={.status.nodeInfo.bootID}')\" != $boot ]"
}
is_degraded() {
  message_of worker NodeDegraded | grep -qF "expected target osImageURL \\\"$old\\\", have \\\"$new\\\""
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

title "Pivot $worker to the newer image."
pivot "$new"
expect 'the previous image' "$(sed -n 's/.*Previous pivot: //p' "$work/pivot")" "$old"
expect 'the new version' "$(sed -n 's/.*Pivoting to: \([^ ]*\) .*/\1/p' "$work/pivot")" 1.20260201.0
expect 'the difference of the staged deployment' "$(sed -n 's/^ *Diff: //p' "$work/status")" '12 upgraded'

title 'The config of the node names the other image: its pool reports that.'
eventually 'the mismatch that the pool reports' is_degraded
run wait mcp/worker --for=condition=Degraded --timeout="$TIMEOUT"
message_of worker NodeDegraded
echo
expect 'the number of degraded workers' "$(query get mcp worker -o 'jsonpath={.status.degradedMachineCount}')" 1

title 'Pivot back: the node recovers by itself.'
pivot "$old"
expect 'the difference of the staged deployment' "$(sed -n 's/^ *Diff: //p' "$work/status")" '12 downgraded'
run wait mcp/worker --for=condition=Degraded=False --timeout="$TIMEOUT"
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
expect "the state of $worker" "$(annotation_of "$worker" state)" Done
