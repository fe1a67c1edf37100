# Functions of the stories: sourced by their run.sh.
# shellcheck shell=sh

# Another program, or the same with flags: `KUBECTL=oc`, `KUBECTL="kubectl --context lab"`.
KUBECTL=${KUBECTL:-kubectl}
# Time limit of each `kubectl wait`. Nodes of `millwright up` take seconds; real ones take many minutes.
TIMEOUT=${TIMEOUT:-600s}

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

# config_of NODE: the config that a node runs.
config_of() {
  query get node "$1" -o 'jsonpath={.metadata.annotations.machineconfiguration\.openshift\.io/currentConfig}'
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
