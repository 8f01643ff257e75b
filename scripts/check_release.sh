#!/bin/sh
# Whether a tag is that of the workspace's version, and the changelog says when it was released.
# Usage: check_release.sh v0.1.0
set -eu
cd "$(dirname "$0")/.."

tag=$1
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
if [ "$tag" != "v$version" ]; then
    echo "the tag is $tag, and the version in Cargo.toml $version: it should be v$version" >&2
    exit 1
fi
day='[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
if ! grep -q "^## $version ($day)\$" CHANGELOG.md; then
    echo "CHANGELOG.md has no line '## $version ($(date +%Y-%m-%d))'" >&2
    exit 1
fi
