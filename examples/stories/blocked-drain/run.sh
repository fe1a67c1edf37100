#!/bin/sh
# A budget that blocks a drain: who says so, and what helps.
set -eu
cd "$(dirname "$0")"
. ../story.sh

tell 'Everything is as it should be, and one pod is too dear to be moved.'
all_updated
run apply -f critical.yaml
run -n ai-inference rollout status deployment/llama31-8b --timeout="$TIMEOUT"
node=$(ask -n ai-inference get pods -l app=llama31-8b -o 'jsonpath={.items[0].spec.nodeName}')
before=$(config_of "$node")

tell "A change for all workers comes to $node and goes no further: its drain is refused."
run apply -f 50-worker-banner.yaml
run wait "machineconfignode/$node" --for=condition=Drained=Unknown --timeout="$TIMEOUT"
drained='{.status.conditions[?(@.type=="Drained")].message}'
# The condition is there before the first refusal is; no `kubectl wait` asks for a part of a message.
tries=0
until ask get machineconfignode "$node" -o "jsonpath=$drained" | grep -q critical-ai-pdb; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || expect 'the reason why the drain waits' 'not told' 'the budget critical-ai-pdb'
  sleep 1
done
run get machineconfignode "$node" -o "jsonpath=$drained"
echo
run get pods --all-namespaces --field-selector "spec.nodeName=$node"
run get nodes
expect "the config of $node" "$(config_of "$node")" "$before"

tell 'Relax the budget, and the rollout goes on by itself.'
run -n ai-inference patch pdb/critical-ai-pdb --type merge --patch '{"spec":{"minAvailable":0}}'
run wait mcp/worker --for=condition=Updated --timeout="$TIMEOUT"
run get nodes
after=$(rendered_of worker)
expect "the config of $node" "$(config_of "$node")" "$after"

tell 'Put everything back.'
run delete -f critical.yaml
run delete -f 50-worker-banner.yaml
rolled_out worker "$after"
