/**
 * The script that runs beside the editor, in a container of the editor's own image: with one of ours, each release of ours would
 * start the editor again. `scripts/generate.ts` writes it to ingress/editor/quarantine.sh, for compose.
 */
export const QUARANTINE_SCRIPT = `# Hands what the editor could not store to the gate, and removes what the gate has: the editor's quarantine gets a copy
# of every save. Needs sh, coreutils and curl, and QUARANTINE_DIR, GATE_URL, username and password in its environment.
cd "$QUARANTINE_DIR" || exit 1
trap 'exit 0' TERM INT
credentials=$(printf '%s:%s' "$username" "$password" | sed 's/[\\\\"]/\\\\&/g')

# ask METHOD PATH FILE [options of curl]: the gate's answer. The password is on no command line.
ask() {
  method=$1 path=$2 file=$3
  shift 3
  printf 'user = "%s"\\n' "$credentials" |
    curl --config - --silent --show-error --fail --max-time 300 --header Expect: --request "$method" \\
      --url-query "file=$file" --url-query "sha256=$sum" --url-query "made=$made" --url-query "now=$(date +%s.%N)" \\
      "$@" "$GATE_URL/svc/quarantine$path"
}

look() {
  for file in *svc%2Fwopi%2Ffiles%2Fdoc_*/*_*; do
    [ -f "$file" ] || continue
    { made=$(stat -c %.9Y "$file") && sum=$(sha256sum < "$file"); } 2> /dev/null || continue
    sum=\${sum%% *}
    case $(ask POST /ask "$file") in
      *'"remove"'*) rm -f "$file" ;;
      *'"send"'*) ask PUT /file "$file" --upload-file "$file" > /dev/null && rm -f "$file" ;;
    esac
  done
}

while :; do
  curl --silent --fail --max-time 5 "$GATE_URL/svc/healthz" > /dev/null && look
  sleep "\${QUARANTINE_SECONDS:-5}" &
  wait $!
done
`;
