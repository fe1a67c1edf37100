#!/bin/sh
# A PodDisruptionBudget that blocks a drain: where that is reported, and how to resolve it.
set -eu
cd "$(dirname "$0")"
. ../story.sh

title 'All pools are updated, and one pod must not be evicted.'
all_updated
run apply -f critical.yaml
run -n ai-inference rollout status deployment/llama31-8b --timeout="$TIMEOUT"
node=$(query -n ai-inference get pods -l app=llama31-8b -o 'jsonpath={.items[0].spec.nodeName}')
before=$(config_of "$node")

title "A change for all workers stops at $node: its drain is blocked."
run apply -f 50-worker-banner.yaml
run wait "machineconfignode/$node" --for=condition=Drained=Unknown --timeout="$TIMEOUT"
drained='{.status.conditions[?(@.type=="Drained")].message}'
# The condition is written before the first refusal, and `kubectl wait` cannot match a part of a message.
tries=0
until query get machineconfignode "$node" -o "jsonpath=$drained" | grep -q critical-ai-pdb; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || expect 'the reported cause of the blocked drain' 'missing' 'the budget critical-ai-pdb'
  sleep 1
done
run get machineconfignode "$node" -o "jsonpath=$drained"
echo
run get pods --all-namespaces --field-selector "spec.nodeName=$node"
run get nodes
expect "the config of $node" "$(config_of "$node")" "$before"

title 'Relax the budget: the rollout continues automatically.'
run -n ai-inference patch pdb/critical-ai-pdb --type merge --patch '{"spec":{"minAvailable":0}}'
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run get nodes
after=$(rendered_of worker)
expect "the config of $node" "$(config_of "$node")" "$after"

title 'Revert all changes.'
run delete -f critical.yaml
run delete -f 50-worker-banner.yaml
rolled_out worker "$after"
