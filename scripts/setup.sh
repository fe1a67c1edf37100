#!/bin/sh
# Makes a checkout ready to run: installs the dependencies and, with `--build`, bundles dist/.
# Does nothing when both are current. One run at a time; a lock left by a dead process is taken over.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
cd "$root"

needs_install() {
  [ ! -f node_modules/.package-lock.json ] ||
    [ package-lock.json -nt node_modules/.package-lock.json ] ||
    [ package.json -nt node_modules/.package-lock.json ]
}
needs_build() {
  [ "${1:-}" = --build ] || return 1
  [ ! -f dist/main.js ] || [ -n "$(find src package.json scripts/build.mjs -newer dist/main.js | head -n 1)" ]
}
needs_install || needs_build "$@" || exit 0

if [ ! -w . ]; then
  if [ "${1:-}" = --build ] && [ -f dist/main.js ]; then
    echo "millwright: cannot write to $root: running what was built before" >&2
    exit 0
  fi
  echo "millwright: cannot write to $root: run it once as a user who can" >&2
  exit 2
fi

# The lock is a link to the number of its process: made in one step, and read in one step.
lock=.setup-lock
takeover=.setup-takeover
holder_of() { readlink "$1" 2>/dev/null || true; }
is_dead() { [ -n "$1" ] && ! kill -0 "$1" 2>/dev/null; }
tries=0
until ln -s "$$" "$lock" 2>/dev/null; do
  # Only one process at a time may take a dead lock away, and it looks again before it does: the lock
  # may be a new and living one by then.
  if is_dead "$(holder_of "$lock")" && ln -s "$$" "$takeover" 2>/dev/null; then
    if is_dead "$(holder_of "$lock")"; then rm -f "$lock"; fi
    rm -f "$takeover"
    continue
  fi
  if is_dead "$(holder_of "$takeover")"; then rm -f "$takeover"; fi
  if [ "$tries" -eq 2 ]; then echo 'millwright: waiting for another set-up to end' >&2; fi
  tries=$((tries + 1))
  if [ "$tries" -gt 600 ]; then
    echo "millwright: another set-up holds $root/$lock; if none is running, remove that file" >&2
    exit 2
  fi
  sleep 1
done
trap 'rm -f "$lock"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if needs_install; then
  echo 'millwright: installing dependencies' >&2
  npm ci --no-fund --no-audit --loglevel=error >&2
  # npm keeps the time of an unchanged file; without this the next run would install again.
  touch node_modules/.package-lock.json
fi
if needs_build "$@"; then
  echo 'millwright: building' >&2
  node scripts/build.mjs >&2
fi
