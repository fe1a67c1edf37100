# What the stories share: read by their run.sh, never run by itself.
# shellcheck shell=sh

# Another program, or the same with flags: `KUBECTL=oc`, `KUBECTL="kubectl --context lab"`.
KUBECTL=${KUBECTL:-kubectl}
# How long kubectl may wait for one thing. Nodes of `millwright up` take seconds; real ones take many minutes.
TIMEOUT=${TIMEOUT:-600s}

# tell WORDS: what comes next, and why.
tell() {
  printf '\n# %s\n' "$*"
}

# run ARGS: says the command of kubectl, as it could be typed, and runs it.
run() {
  shown=$KUBECTL
  for word in "$@"; do
    case $word in
      *[!A-Za-z0-9_./:=,@%+-]* | '') shown="$shown '$word'" ;;
      *) shown="$shown $word" ;;
    esac
  done
  printf '$ %s\n' "$shown"
  ask "$@"
}

# ask ARGS: what kubectl answers, for the script itself to look at.
ask() {
  $KUBECTL "$@"
}

# expect WHAT IS WANTED: ends the story where something is not as it was told.
expect() {
  if [ "$2" != "$3" ]; then
    printf 'not as told: %s is "%s" and should be "%s"\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  printf '# so it is: %s is %s\n' "$1" "${2:-empty}"
}

# rolled_out POOL BEFORE: waits until the pool means its nodes to run another config than that, and until all of them do.
# A pool is Updated until a change is rendered, a few seconds after it was made, so that alone says nothing.
rolled_out() {
  tries=0
  # No `kubectl wait` waits for a value that is not the old one.
  until [ "$(rendered_of "$1")" != "$2" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || expect "the config of pool $1" "$2" 'a new one'
    sleep 1
  done
  run wait "mcp/$1" --for=condition=Updated --timeout="$TIMEOUT"
}

# all_updated: nothing is under way, as a story wants it at its beginning.
all_updated() {
  run wait mcp --all --for=condition=Updated --timeout="$TIMEOUT"
}

# config_of NODE: the config that a node runs.
config_of() {
  ask get node "$1" -o 'jsonpath={.metadata.annotations.machineconfiguration\.openshift\.io/currentConfig}'
}

# desired_of SELECTOR: the configs that nodes are meant to run, each once.
desired_of() {
  ask get nodes -l "$1" -o \
    'jsonpath={range .items[*]}{.metadata.annotations.machineconfiguration\.openshift\.io/desiredConfig}{"\n"}{end}' |
    sort -u
}

# rendered_of POOL: the config that a pool means its nodes to run.
rendered_of() {
  ask get mcp "$1" -o 'jsonpath={.spec.configuration.name}'
}
