#!/bin/sh
# Records an impression and prints its id: impression.sh AD SESSION
# Without an answer it tries again in the same session, so that the impression counts once.
set -eu

body="{\"publisher_id\":\"$ADSIM_PUBLISHER_ID\",\"surface\":\"$ADSIM_SURFACE_ID\",\"ad_id\":\"$1\",\"session_id\":\"$2\"}"
for attempt in 1 2 3; do
  status=0
  answer=$(curl --silent --show-error --fail --max-time 10 "$ADSIM_URL/v1/impression" \
    --header "Authorization: Bearer $ADSIM_API_KEY" --header "Content-Type: application/json" \
    --data "$body") || status=$?
  if [ "$status" -eq 0 ]; then
    printf '%s\n' "$answer" | sed 's/.*"impression_id":"\([^"]*\)".*/\1/'
    exit 0
  fi
  # 22: the service answered, and refused.
  [ "$status" -ne 22 ] || break
done
echo "impression.sh: refused, or without an answer (curl exited with $status)" >&2
exit 1
