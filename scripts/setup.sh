#!/bin/sh
# Makes a checkout ready to run: installs the dependencies and, with `--build`, bundles dist/.
# Does nothing when both are current. One run at a time: a lock held by a dead process is taken over.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
cd "$root"

# A published package has dist/ and no sources: there is nothing to set up.
[ -d src ] || exit 0

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

lock=.setup-lock
tries=0
until mkdir "$lock" 2>/dev/null; do
  holder=$(cat "$lock/pid" 2>/dev/null || echo)
  if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
    # The rename is atomic, so only one of several waiters takes the dead lock away.
    mv "$lock" "$lock.$$" 2>/dev/null && rm -rf "$lock.$$"
    continue
  fi
  tries=$((tries + 1))
  if [ "$tries" -gt 600 ]; then
    echo "millwright: another set-up holds $root/$lock; if none is running, remove that folder" >&2
    exit 2
  fi
  sleep 1
done
echo $$ >"$lock/pid"
trap 'rm -rf "$lock"' EXIT
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
