#!/bin/sh
# Plans a pull request without a cluster: what the manifests of a folder become since a commit.
#
#   plan.sh FOLDER BASE [OUTPUT]      plan.sh machineconfigs origin/main plan.md
#
# Writes Markdown for a comment to OUTPUT (default: standard output); everything else goes to standard error. Exit codes are
# those of `millwright plan`: 0 no node changes, 3 without a drain or a reboot, 4 with one, 1 invalid, 2 unusable.
# MILLWRIGHT names the program, if it is not on the PATH.
set -eu
if [ $# -lt 2 ]; then
  echo 'usage: plan.sh FOLDER BASE [OUTPUT]' >&2
  exit 2
fi
folder=$1
base=$2
millwright=${MILLWRIGHT:-millwright}

git rev-parse --quiet --verify "$base^{commit}" >/dev/null || {
  echo "plan.sh: there is no commit $base: fetch it first" >&2
  exit 2
}
"$millwright" render --check "$folder" >&2

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
# A folder that is new has nothing before.
mkdir -p "$before/$folder"
if [ -n "$(git ls-tree "$base" -- "$folder")" ]; then
  git archive "$base" -- "$folder" | tar -x -C "$before"
else
  printf 'apiVersion: v1\nkind: List\nitems: []\n' >"$before/$folder/none.yaml"
fi

if [ $# -ge 3 ]; then exec >"$3"; fi
exit_code=0
# --prune: what the folder has no more is deleted.
"$millwright" plan --from "$before/$folder" -f "$folder" --prune -o markdown || exit_code=$?
exit "$exit_code"
