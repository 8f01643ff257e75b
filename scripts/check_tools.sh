#!/bin/sh
# Says in one line each which of the tools a target needs are missing, and what to install.
# Usage: check_tools.sh [rust] [rustfmt] [clippy] [cxx] [python]
set -u
cd "$(dirname "$0")/.." || exit 1

status=0
missing() {
    echo "$1" >&2
    status=1
}

check_rust() {
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    if ! command -v cargo >/dev/null || ! found=$(rustc --version 2>/dev/null); then
        missing "cargo is missing: install Rust $wanted or newer from https://rustup.rs"
        return
    fi
    found=$(echo "$found" | cut -d ' ' -f 2)
    if [ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)" != "$wanted" ]; then
        missing "Rust $found is too old: $wanted or newer is needed (rustup update)"
    fi
    command -v cc >/dev/null || missing "cc, the linker, is missing: install a C compiler (Debian: apt install build-essential)"
}

check_rustfmt() {
    cargo fmt --version >/dev/null 2>&1 || missing "rustfmt is missing: rustup component add rustfmt"
}

check_clippy() {
    cargo clippy --version >/dev/null 2>&1 || missing "clippy is missing: rustup component add clippy"
}

check_cxx() {
    compiler=${CXX:-c++}
    # shellcheck disable=SC2086 # CXX may carry flags
    $compiler --version >/dev/null 2>&1 ||
        missing "$compiler, the C++ compiler, is missing: install g++ or clang (Debian: apt install build-essential)"
}

check_python() {
    python=${PYTHON:-python3}
    if ! "$python" -c '' 2>/dev/null; then
        missing "$python is missing: install Python 3.10 or newer, or name one with PYTHON=..."
    elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
        missing "$("$python" --version) is too old: Python 3.10 or newer is needed, name one with PYTHON=..."
    elif ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
        missing "$python has no venv: install it (Debian: apt install python3-venv)"
    fi
}

for tool in "$@"; do
    "check_$tool"
done
exit "$status"
