#!/bin/sh
# Records an impression and prints its id: impression.sh AD SESSION
# Without an answer that confirms it, it tries again in the same session, so that the impression counts once.
set -eu

body="{\"publisher_id\":\"$ADSIM_PUBLISHER_ID\",\"surface\":\"$ADSIM_SURFACE_ID\",\"ad_id\":\"$1\",\"session_id\":\"$2\"}"
for attempt in 1 2 3; do
  status=0
  answer=$(curl --silent --show-error --fail --max-time 10 "$ADSIM_URL/v1/impression" \
    --header "Authorization: Bearer $ADSIM_API_KEY" --header "Content-Type: application/json" \
    --data "$body" --write-out '%{http_code}') || status=$?
  # Only status 200 with ok and an id says that the impression is recorded.
  id=$(printf '%s\n' "$answer" | sed -n '/"ok": *true.*200$/s/.*"impression_id": *"\([^"][^"]*\)".*/\1/p')
  if [ "$status" -eq 0 ] && [ -n "$id" ]; then
    printf '%s\n' "$id"
    exit 0
  fi
  # 22: the service answered, and refused.
  [ "$status" -ne 22 ] || break
done
echo "impression.sh: refused, or without an answer that confirms it (curl exited with $status)" >&2
exit 1
