#!/bin/sh
# Tests impression.sh against a simulator: npx adsim exec --clock frozen -- sh test.sh
set -eu
cd "$(dirname "$0")"

control() {
  curl --silent --show-error --fail --request "$1" "$ADSIM_URL/_sim/$2" \
    --header "Content-Type: application/json" ${3:+--data "$3"}
}

# Lose the answer to the first impression.
control POST faults '{"match":{"operation":"impression","times":1},"verdict":{"kind":"lose-response"}}' >/dev/null
id=$(sh impression.sh ad-1 session-1)
control POST clock/advance '{"by":"10m"}' >/dev/null

# Answer the next one with 200 and "ok": false, which confirms nothing.
control POST faults '{"match":{"operation":"impression","times":1},"verdict":{"kind":"wrong-body","wrong":"ok-false"}}' >/dev/null
[ "$(sh impression.sh ad-1 session-1)" = "$id" ] || {
  echo "FAILED: the same impression has two ids" >&2
  exit 1
}

# The audit knows what the service did: it got four requests and recorded one impression.
case $(control GET audit) in
  *'"impressions":{"attempts":4,"answered":2,'*'"applied":1,'*) echo "ok" ;;
  *)
    echo "FAILED: not exactly one impression is recorded" >&2
    exit 1
    ;;
esac
