#!/bin/sh
# Update the OS of all nodes through the ConfigMap machine-config-osimageurl, and go back.
set -eu
cd "$(dirname "$0")"
. ../story.sh

want_image() {
  run -n "$NAMESPACE" patch configmap machine-config-osimageurl --type merge \
    --patch "$(sed "s|IMAGE|$1|" os-image.yaml)"
}
image_of_pool() {
  query get mc "$(rendered_of "$1")" -o 'jsonpath={.spec.osImageURL}'
}

title 'All pools are updated, and all nodes run the older OS.'
all_updated
worker=$(first_worker)
old=$(image_of_pool worker)
new=$(os_image 1.20260201.0)
worker_before=$(rendered_of worker)
master_before=$(rendered_of master)
expect 'the OS image of the workers' "$old" "$(os_image 1.20260101.0)"

title 'Name the newer image: new configs are rendered, and nodes reboot into it one by one.'
want_image "$new"
rolled_out worker "$worker_before"
rolled_out master "$master_before"
run get mc
expect 'the OS image of the workers' "$(image_of_pool worker)" "$new"
expect 'the OS image of the control plane' "$(image_of_pool master)" "$new"
expect 'the OS of all nodes' "$(query get nodes -o 'jsonpath={range .items[*]}{.status.nodeInfo.osImage}{"\n"}{end}' | sort -u)" \
  'Millwright Sandbox CoreOS 1.20260201.0'

title "Both deployments of $worker; the first one is booted."
status=$(on_node "$worker" status)
printf '%s\n' "$status"
expect 'the list of their versions' "$(printf '%s\n' "$status" | sed -n 's/^ *Version: \([^ ]*\) .*/\1/p' | xargs)" '1.20260201.0 1.20260101.0'

title 'Revert: without osImageURL, the image of the release counts.'
worker_after=$(rendered_of worker)
master_after=$(rendered_of master)
want_image '""'
rolled_out worker "$worker_after"
rolled_out master "$master_after"
expect 'the OS image of the workers' "$(image_of_pool worker)" "$old"
