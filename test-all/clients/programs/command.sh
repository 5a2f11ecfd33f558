#!/bin/bash
# Sends each file of OUT with the program that the name of the set-up begins with.
set -u
program=${SETUP%% *}
kinds() { python3 - "$@" <<'P'
import json, os, re, sys
kinds = json.load(open(os.environ["KINDS"], encoding="utf-8"))
address = lambda one: re.sub(r".*<(.*)>", r"\1", one)
if len(sys.argv) == 1:
    print("\n".join(kinds))
elif sys.argv[2] == "to":
    print("\n".join(map(address, kinds[sys.argv[1]]["to"])))
else:
    print(address(kinds[sys.argv[1]]["from"]))
P
}
send_msmtp() {
  local tls=(--tls=off)
  [ "$WAY" = starttls ] && tls=(--tls=on --tls-starttls=on --tls-certcheck=off)
  [ "$WAY" = smtps ] && tls=(--tls=on --tls-starttls=off --tls-certcheck=off)
  local auth=(--auth=off)
  [ -n "$AUTH" ] && auth=("--auth=${AUTH,,}" --user=u "--passwordeval=echo $PASSWORD")
  msmtp --set-date-header=off --set-msgid-header=off --host=127.0.0.1 "--port=$PORT" "${tls[@]}" "${auth[@]}" -f "$from" "${to[@]}" < "$file"
}
send_curl() {
  local scheme=smtp more=()
  [ "$WAY" = smtps ] && scheme=smtps
  [ "$WAY" = starttls ] && more+=(--ssl-reqd)
  [ -n "$AUTH" ] && more+=(-u "u:$PASSWORD" --login-options "AUTH=$AUTH")
  for one in "${to[@]}"; do more+=(--mail-rcpt "$one"); done
  curl -sS --insecure --url "$scheme://127.0.0.1:$PORT" --mail-from "$from" "${more[@]}" -T "$file"
}
send_swaks() {
  local more=()
  [ "$WAY" = starttls ] && more+=(--tls)
  [ "$WAY" = smtps ] && more+=(--tls-on-connect)
  [ -n "$AUTH" ] && more+=(--auth "$AUTH" --auth-user u --auth-password "$PASSWORD")
  swaks --silent 2 --server "127.0.0.1:$PORT" "${more[@]}" --from "$from" --to "$(IFS=,; echo "${to[*]}")" --data "@$file"
}
for kind in $(kinds); do
  mapfile -t to < <(kinds "$kind" to)
  from=$(kinds "$kind" from)
  file=$OUT/$kind.eml
  error=$("send_$program" 2>&1) || printf '%s\t%s\n' "$kind" "${error//$'\n'/ }"
done
