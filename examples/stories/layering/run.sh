#!/bin/sh
# Build an OS image in the cluster, boot it on the nodes of a pool, and go back.
set -eu
cd "$(dirname "$0")"
. ../story.sh

# image_is OPERATOR IMAGE: compares the image that the node reports.
image_is() {
  [ "$(annotation_of "$worker" currentImage)" "$1" "$2" ]
}
image_of_config() {
  query get machineosconfig infra -o 'jsonpath={.status.currentImagePullSpec}'
}
has_image() {
  [ -n "$(image_of_config)" ]
}
has_builds() {
  ! no_builds
}
no_builds() {
  [ -z "$(query get machineosbuild -o name)" ]
}

title 'All pools are updated. One worker moves to the pool infra.'
all_updated
worker=$(first_worker)
run apply -f infra.yaml
run label node "$worker" node-role.kubernetes.io/infra=
run wait mcp/infra --for=jsonpath='{.status.updatedMachineCount}'=1 --timeout="$TIMEOUT"
base=$(query get mc "$(rendered_of infra)" -o 'jsonpath={.spec.osImageURL}')

title 'Have an image built.'
run apply -f machineosconfig.yaml
eventually 'a MachineOSBuild' has_builds
millwright builds infra --follow
run get machineosbuild
eventually 'the image in the MachineOSConfig' has_image
image=$(image_of_config)
expect 'the repository of the image' "${image%@*}" image-registry.openshift-image-registry.svc:5000/story/os

title "$worker reboots into the image."
eventually "the image on $worker" image_is = "$image"
run wait mcp/infra --for=condition=Updated --timeout="$TIMEOUT"
run get mcp
run get machineconfignode "$worker" -o wide
status=$(on_node "$worker" status)
printf '%s\n' "$status"
expect 'the booted image' "$(printf '%s\n' "$status" | sed -n 's/^[*●] ostree-unverified-registry://p')" "$image"
on_node "$worker" ls /usr/bin/yq
expect 'the file of the image' "$(on_node "$worker" cat /etc/layered | tail -n 1)" 'built in the cluster'

title 'Revert all changes: without the MachineOSConfig, the node goes back to the image of the release.'
run delete -f machineosconfig.yaml
eventually "the image of the release on $worker" image_is != "$image"
run wait mcp/infra --for=condition=Updated --timeout="$TIMEOUT"
expect 'the booted image' "$(on_node "$worker" status | sed -n 's/^[*●] ostree-unverified-registry://p')" "$base"
! on_node "$worker" ls /usr/bin/yq 2>/dev/null || expect /usr/bin/yq there gone
run label node "$worker" node-role.kubernetes.io/infra-
run wait mcp/infra --for=jsonpath='{.status.machineCount}'=0 --timeout="$TIMEOUT"
all_updated
run delete -f infra.yaml
eventually 'the deletion of all builds' no_builds
expect 'what is left of builds' "$(query -n "$NAMESPACE" get jobs,configmaps,secrets -o name | grep infra || true)" ''
