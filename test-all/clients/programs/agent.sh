#!/bin/bash
# Sends two kinds of mail with a mail program for terminals, which composes them itself.
set -u
export LC_ALL=C.UTF-8
program=${SETUP%% *}
cd "$OUT" || exit 1
of() { python3 -c 'import json,os,sys; k=json.load(open(os.environ["KINDS"], encoding="utf-8"))[sys.argv[1]][sys.argv[2]]; print(k if isinstance(k, str) else k[0], end="")' "$@"; }
cp all.bin 'Rechnung März 2026.pdf'
cp report.txt '报告 🎉.txt'
cp all.bin 'a "quoted"; name.bin'
files=('Rechnung März 2026.pdf' '报告 🎉.txt' 'a "quoted"; name.bin')
send_mutt() {
  local settings="set smtp_url=\"smtp://127.0.0.1:$PORT\" ssl_starttls=no ssl_force_tls=no from=app@acme.test realname=App use_from=yes copy=no send_charset=utf-8 charset=utf-8"
  local attached=()
  [ "$#" -gt 0 ] && attached=(-a "$@")
  mutt -F /dev/null -e "$settings" -s "$subject" "${attached[@]}" -- "$to"
}
send_s-nail() {
  local attached=()
  for one in "$@"; do attached+=(-a "$one"); done
  s-nail -n -Sv15-compat "-Smta=smtp://127.0.0.1:$PORT" -Ssmtp-auth=none -Sttycharset=utf-8 -Ssendwait '-Sfrom=App <app@acme.test>' -s "$subject" "${attached[@]}" "$to"
}
for kind in plain attachments; do
  subject="[$SETUP/$kind] $(of "$kind" subject)"
  to=$(of "$kind" to)
  attached=()
  [ "$kind" = attachments ] && attached=("${files[@]}")
  error=$(of "$kind" text | "send_$program" "${attached[@]}" 2>&1) || printf '%s\t%s\n' "$kind" "${error//$'\n'/ }"
done
