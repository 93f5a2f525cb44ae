#!/usr/bin/env bash
# Make a virtual environment from the first Python that is new enough, and say what is missing.
#
#   tools/make_venv.sh FOLDER          PYTHON=/path/to/python chooses another one
set -euo pipefail

folder=${1:?usage: make_venv.sh FOLDER}
oldest="3.11"

say() { printf 'heldout: %s\n' "$*" >&2; }

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        if is_new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

install() {
    say "installing $*"
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

if ! python=$(find_python); then
    if [ -z "${PYTHON:-}" ] && can_install; then
        install python3 python3-venv || true
    fi
    if ! python=$(find_python); then
        say "Python $oldest or newer is needed${PYTHON:+, and $PYTHON is not}."
        say "On Debian or Ubuntu: apt-get install python3 python3-venv"
        say "If it is already here under another name: make PYTHON=/path/to/python ..."
        exit 1
    fi
fi

# Debian ships Python without ensurepip, which venv needs for pip.
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if can_install; then
        install "$package" || install python3-venv || true
    fi
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        say "$python cannot make a virtual environment: its ensurepip is missing."
        say "On Debian or Ubuntu: apt-get install $package"
        exit 1
    fi
fi

say "making $folder with $python ($("$python" -c 'import platform; print(platform.python_version())'))"
if ! "$python" -m venv --clear "$folder"; then
    rm -rf "$folder"
    say "$python -m venv $folder failed; see above."
    exit 1
fi
