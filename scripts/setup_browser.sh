#!/bin/sh
# Puts Playwright into .venv and a Chromium beside it, for the tests of the replay page. Does nothing that has been done.
# A Chromium of the PATH is used; without one Debian's package (as root) or else Playwright's own build is installed.
set -eu
cd "$(dirname "$0")/.."

found() {
    for name in chromium-headless-shell chromium chromium-browser google-chrome; do
        if command -v "$name" >/dev/null; then
            echo "Chromium: $(command -v "$name")"
            return 0
        fi
    done
    return 1
}

.venv/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-browser.txt
if found; then
    exit 0
fi
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "Chromium: installing Debian's chromium-headless-shell"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null ||
        apt-get install -y -qq --no-install-recommends chromium >/dev/null
    found
else
    echo "Chromium: installing Playwright's"
    .venv/bin/playwright install --with-deps --only-shell chromium
fi
