#!/bin/sh
# Puts Sphinx into .venv, for `make site`. Does nothing that has been done.
set -eu
cd "$(dirname "$0")/.."

# OpenSpiel, whose games the reference describes, has no wheel for older Pythons, and neither has Sphinx any more.
if ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "the site needs Python 3.11 or newer: delete .venv and name one with PYTHON=..." >&2
    exit 1
fi
stamp=.venv/.requirements-docs
if [ "$(cat "$stamp" 2>/dev/null)" = "$(cat python/requirements-docs.txt)" ]; then
    echo "Sphinx: already set up"
    exit 0
fi
echo "Sphinx: installing the packages of python/requirements-docs.txt"
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-docs.txt
cp python/requirements-docs.txt "$stamp"
