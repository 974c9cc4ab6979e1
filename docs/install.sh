#!/bin/sh
# Installs a release of lookout for this system, after it has checked its signature and its checksum:
#
#   sh install.sh [--to DIR] [--version 1.2.3] [--no-signature]
#
# Without --version it installs the newest release; without --to, into ~/.local/bin. cosign checks the signature. With
# --no-signature only the checksum is checked, which comes from the same place as the archive: it finds damage, but no
# forgery.
set -eu

repository=lookout/lookout
releases=${LOOKOUT_RELEASES:-https://github.com/$repository/releases} # a mirror may have them too
to=$HOME/.local/bin
version=
signature=yes

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

# fetch URL FILE
fetch() {
	curl --fail --silent --show-error --location --output "$2" "$1" || fail "$1 cannot be read; nothing was installed"
}

while [ $# -gt 0 ]; do
	case $1 in
	--to) to=${2:?DIR is missing} && shift 2 ;;
	--version) version=${2:?the version is missing} && shift 2 ;;
	--no-signature) signature=no && shift ;;
	*) fail "unknown argument $1; use --to DIR, --version 1.2.3, --no-signature" ;;
	esac
done

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
FreeBSD) os=freebsd ;;
*) fail "there is no archive for $(uname -s); README.md lists the other ways to install" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
armv7*) arch=armv7 ;;
riscv64) arch=riscv64 ;;
*) fail "there is no archive for $(uname -m); README.md lists the other ways to install" ;;
esac

if [ "$signature" = yes ] && ! command -v cosign >/dev/null; then
	fail "cosign is needed to check the signature; install it, or add --no-signature to check the checksum alone"
fi
if [ -z "$version" ]; then
	# the page of the newest release is a redirect to the one of its tag
	newest=$(curl --fail --silent --show-error --location --output /dev/null --write-out '%{url_effective}' \
		"$releases/latest") || fail "$releases/latest cannot be read; nothing was installed"
	version=${newest##*/}
fi
version=${version#v}
archive=lookout_${version}_${os}_${arch}.tar.gz

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for file in "$archive" checksums.txt; do
	fetch "$releases/download/v$version/$file" "$work/$file"
done
cd "$work"

if [ "$signature" = yes ]; then
	fetch "$releases/download/v$version/checksums.txt.sigstore.json" checksums.txt.sigstore.json
	cosign verify-blob --bundle checksums.txt.sigstore.json \
		--certificate-identity "https://github.com/$repository/.github/workflows/release.yml@refs/tags/v$version" \
		--certificate-oidc-issuer https://token.actions.githubusercontent.com checksums.txt >&2 ||
		fail "the signature of checksums.txt is wrong; nothing was installed"
fi
grep " [ *]\{0,1\}$archive\$" checksums.txt >expected || fail "checksums.txt does not name $archive; nothing was installed"
if command -v sha256sum >/dev/null; then
	sha256sum -c expected >/dev/null || fail "the checksum of $archive is wrong; nothing was installed"
else
	shasum -a 256 -c expected >/dev/null || fail "the checksum of $archive is wrong; nothing was installed"
fi

tar -xzf "$archive" lookout
chmod 755 lookout
mkdir -p "$to"
mv lookout "$to/lookout.new" # a running lookout keeps its file
mv "$to/lookout.new" "$to/lookout"
echo "installed $("$to/lookout" version) as $to/lookout"
case :$PATH: in
*:"$to":*) ;;
*) echo "$to is not in PATH: add it in your shell's start file" ;;
esac
