#!/usr/bin/env bash
# A Chromium for the tests of pages: the one that is there, or Debian's. Without one those tests
# are skipped, and say so.
set -euo pipefail

for name in chromium-headless-shell chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then
    exit 0
  fi
done
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "heldout: installing Chromium for the tests of pages"
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq && { apt-get install -y -qq --no-install-recommends chromium-headless-shell ||
    apt-get install -y -qq --no-install-recommends chromium; } >/dev/null; then
    exit 0
  fi
fi
echo "heldout: no Chromium: tests of pages in a browser will be skipped (install chromium)"
