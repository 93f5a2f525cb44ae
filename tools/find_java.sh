#!/usr/bin/env bash
# Java for the tests of Spark: the one that is there, or Debian's. Without one those tests are
# skipped, and say so.
set -euo pipefail

if command -v java >/dev/null || [ -n "${JAVA_HOME:-}" ]; then
  exit 0
fi
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "heldout: installing Java for the tests of Spark"
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq && { apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless ||
    apt-get install -y -qq --no-install-recommends default-jre-headless; } >/dev/null; then
    exit 0
  fi
fi
echo "heldout: no Java: tests of Spark will be skipped (install openjdk-17-jre-headless)"
