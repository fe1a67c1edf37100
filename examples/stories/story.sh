# Functions of the stories: sourced by their run.sh.
# shellcheck shell=sh

# Another program, or the same with flags: `KUBECTL=oc`, `KUBECTL="kubectl --context lab"`.
KUBECTL=${KUBECTL:-kubectl}
# Time limit of each `kubectl wait`. Nodes of `millwright up` take seconds; real ones take many minutes.
TIMEOUT=${TIMEOUT:-600s}

# Paths are relative to where the story was started, not to its folder.
case ${KUBECONFIG:-/} in
  /*) ;;
  *) export KUBECONFIG="$OLDPWD/$KUBECONFIG" ;;
esac
NAMESPACE=openshift-machine-config-operator

# title TEXT: prints a heading for the next step.
title() {
  printf '\n# %s\n' "$*"
}

# run ARGS: prints the kubectl command and runs it.
run() {
  shown=$KUBECTL
  for arg in "$@"; do
    case $arg in
      *[!A-Za-z0-9_./:=,@%+-]* | '') shown="$shown '$arg'" ;;
      *) shown="$shown $arg" ;;
    esac
  done
  printf '$ %s\n' "$shown"
  query "$@"
}

# query ARGS: runs kubectl without printing the command.
query() {
  $KUBECTL "$@"
}

# on_node NODE ACTION…: prints and runs `millwright node`, for nodes of `millwright up`: what `oc debug node/NODE` does elsewhere.
on_node() {
  millwright node "$@"
}

# millwright COMMAND ARGS: prints the command and runs it on the cluster of kubectl.
millwright() {
  printf '$ millwright %s\n' "$*"
  "${MILLWRIGHT:-../../../bin/millwright}" "$@" --kubeconfig "${KUBECONFIG:-$HOME/.kube/config}"
}

# eventually WHAT COMMAND…: waits until the command succeeds, for what `kubectl wait` cannot wait for.
eventually() {
  what=$1
  shift
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 120 ] || expect "$what" missing there
    sleep 0.5
  done
}

# expect WHAT ACTUAL EXPECTED: exits unless both values are equal.
expect() {
  if [ "$2" != "$3" ]; then
    printf 'unexpected: %s is "%s" and should be "%s"\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  printf '# verified: %s is %s\n' "$1" "${2:-empty}"
}

# rolled_out POOL BEFORE: waits until the pool has another target config than BEFORE, and until all of its nodes run it.
# Updated alone is not enough: a pool stays Updated until a change is rendered, a few seconds after it was made.
rolled_out() {
  tries=0
  # `kubectl wait` cannot wait for a value to change.
  until [ "$(rendered_of "$1")" != "$2" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || expect "the config of pool $1" "$2" 'a new one'
    sleep 1
  done
  run wait "mcp/$1" --for=condition=Updated --timeout="$TIMEOUT"
}

# all_updated: waits until no rollout is in progress.
all_updated() {
  run wait mcp --all --for=condition=Updated --timeout="$TIMEOUT"
}

# first_worker: the name of one worker.
first_worker() {
  query get nodes -l node-role.kubernetes.io/worker -o 'jsonpath={.items[0].metadata.name}'
}

# message_of POOL TYPE: the message of a condition.
message_of() {
  query get mcp "$1" -o "jsonpath={.status.conditions[?(@.type==\"$2\")].message}"
}

# annotation_of NODE NAME: without the prefix.
annotation_of() {
  query get node "$1" -o "jsonpath={.metadata.annotations.machineconfiguration\.openshift\.io/$2}"
}

# os_image VERSION: an OS image that comes with `millwright up`, by digest.
os_image() {
  query -n "$NAMESPACE" get configmap sandbox-os-images -o "jsonpath={.data.$(echo "$1" | sed 's/\./\\./g')}"
}

# config_of NODE: the config that a node runs.
config_of() {
  annotation_of "$1" currentConfig
}

# desired_of SELECTOR: the distinct desired configs of nodes.
desired_of() {
  query get nodes -l "$1" -o \
    'jsonpath={range .items[*]}{.metadata.annotations.machineconfiguration\.openshift\.io/desiredConfig}{"\n"}{end}' |
    sort -u
}

# rendered_of POOL: the target config of a pool.
rendered_of() {
  query get mcp "$1" -o 'jsonpath={.spec.configuration.name}'
}
