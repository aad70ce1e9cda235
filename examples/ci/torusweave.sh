#!/bin/sh
# For the CI of your repository: fails if a config and its generated files in generated/NAME do not belong together.
# With BASE, a commit or branch, it also shows what each config changes since then.
#
#     BASE=origin/main sh torusweave.sh designs/one.yaml designs/two.yaml
set -u
[ $# -gt 0 ] || { echo "usage: [BASE=COMMIT] sh torusweave.sh CONFIG..." >&2; exit 2; }
status=0
for config in "$@"; do
    echo "== $config"
    torusweave generate "$config" --check || status=1
    # a new config has nothing to be compared with
    if [ -n "${BASE:-}" ] && before=$(git show "$BASE:./$config" 2>/dev/null); then
        printf '%s\n' "$before" | torusweave diff - "$config" || status=1
    fi
done
exit $status
