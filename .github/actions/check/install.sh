#!/usr/bin/env bash
# Finds the program of the action.
#
#   install.sh key       writes `key`, which names the sources that would be built
#   install.sh program   writes `program`, its path: BINARY if that is given; the program of release VERSION,
#                        whose archive has to have SHA256; else built from the sources beside the action
#
#   ROOT      where the program goes that is downloaded or built; what was built there before is used
#   RELEASES  the address that releases are below
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

# An annotation in one line, whatever the inputs hold.
die() {
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  echo "::error file=.github/workflows,title=tsl-synth::${text//$'\n'/%0A}"
  exit 2
}
digest() { if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1; }
lower() { tr '[:upper:]' '[:lower:]' <<<"$1"; }
give() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

if [ "${1:-}" = key ]; then
  cd "$source"
  give key "$({
    rustc -V
    find Cargo.toml Cargo.lock src grammars templates -type f -print0 | LC_ALL=C sort -z | xargs -0 cat
  } | digest)"
  exit
fi

case ${RUNNER_OS:-Linux} in Windows) name=tsl-synth.exe ;; *) name=tsl-synth ;; esac
wanted=$(lower "${SHA256:-}")
[[ $wanted =~ ^([0-9a-f]{64})?$ ]] || die "sha256 is not 64 hexadecimal digits"

if [ -n "${BINARY:-}" ]; then
  [ -z "${VERSION:-}" ] || die "binary and version are both given"
  [ -f "$BINARY" ] || die "binary: there is no file $BINARY"
  case $BINARY in *$'\n'*) die "binary: a path in one line is needed" ;; esac
  program=$(cd "$(dirname -- "$BINARY")" && pwd)/$(basename -- "$BINARY")
  if [ -n "$wanted" ]; then
    found=$(digest <"$program")
    [ "$found" = "$wanted" ] || die "binary: its SHA-256 is $found, not $wanted"
  fi
elif [ -n "${VERSION:-}" ]; then
  [[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$ ]] || die "version is not of the form 1.2.3"
  [ -n "$wanted" ] || die "version needs sha256: that of the archive of the release"
  case ${RUNNER_OS:-Linux}-${RUNNER_ARCH:-X64} in
  Linux-X64) target=x86_64-unknown-linux-musl ;;
  Linux-ARM64) target=aarch64-unknown-linux-musl ;;
  macOS-X64) target=x86_64-apple-darwin ;;
  macOS-ARM64) target=aarch64-apple-darwin ;;
  Windows-X64) target=x86_64-pc-windows-msvc ;;
  *) die "there is no release for $RUNNER_OS on $RUNNER_ARCH" ;;
  esac
  archive=tsl-synth-$VERSION-$target.tar.gz
  mkdir -p "$ROOT/$VERSION"
  curl -fsSL --retry 3 -o "$ROOT/$archive" "$RELEASES/v$VERSION/$archive" || die "cannot download $archive"
  # Nothing is unpacked before it is known to be what was asked for.
  found=$(digest <"$ROOT/$archive")
  [ "$found" = "$wanted" ] || die "$archive: its SHA-256 is $found, not $wanted"
  tar -C "$ROOT/$VERSION" --strip-components 1 -xzf - <"$ROOT/$archive"
  program=$ROOT/$VERSION/$name
else
  program=$ROOT/bin/$name
  [ -x "$program" ] || cargo install --quiet --locked --no-track --path "$source" --root "$ROOT"
fi
[ -x "$program" ] || die "$program is no program"
give program "$program"
