#!/bin/bash
# Says of each target whether a packet comes back from it: an answer, or that nobody listens there. Where packets are
# dropped, none does.
# usage: probe.sh <seconds> [<tcp or udp> <address> <port>]...
seconds=$1
shift
# A question that a cluster's DNS knows the answer to.
question='\0\1\1\0\0\1\0\0\0\0\0\0\012kubernetes\7default\3svc\7cluster\5local\0\0\1\0\1'

try() {
  case $1 in
    tcp) way=": <>/dev/tcp/$2/$3" ;;
    udp) way="exec 3<>/dev/udp/$2/$3; printf '$question' >&3; head -c 1 <&3 >/dev/null" ;;
  esac
  said=$(LC_ALL=C timeout "$seconds" bash -c "$way" 2>&1) || case $said in
    *'Connection refused'*) ;;
    *) echo "shut $*"; return ;;
  esac
  echo "open $*"
}

while [ $# != 0 ]; do
  try "$1" "$2" "$3" &
  shift 3
done
wait
