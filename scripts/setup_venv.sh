#!/bin/sh
# Makes .venv with the pinned packages of python/requirements-dev.txt. Does nothing when that has been done.
# PYTHON names the Python to make it with (default: python3).
set -eu
cd "$(dirname "$0")/.."

version() {
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo none
}

python=.venv/bin/python
made_with=$(version "$python")
if [ -n "${PYTHON:-}" ] && [ "$made_with" != none ] && [ "$made_with" != "$(version "$PYTHON")" ]; then
    echo ".venv has Python $made_with, not that of PYTHON=$PYTHON: delete .venv to have it made anew" >&2
    exit 1
fi

stamp=.venv/.requirements
wanted=$(echo "# Python $made_with" && cat python/requirements-dev.txt)
if [ "$made_with" != none ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    echo ".venv: already set up (Python $made_with)"
    exit 0
fi

if ! "$python" -m pip --version >/dev/null 2>&1; then
    echo ".venv: making it with $("${PYTHON:-python3}" --version)"
    "${PYTHON:-python3}" -m venv .venv
fi
echo ".venv: installing the packages of python/requirements-dev.txt"
"$python" -m pip install --quiet --disable-pip-version-check -r python/requirements-dev.txt
(echo "# Python $(version "$python")" && cat python/requirements-dev.txt) >"$stamp"
echo ".venv: done"
