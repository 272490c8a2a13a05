#!/usr/bin/env bash
# Sees to it that there is a Chromium for the tests that open a page. `.ci/run` calls it before the tests.
#
# It installs one only where nobody minds: on a CI machine, as root, where apt-get is.
set -euo pipefail

readonly PLACES=(
  /usr/bin/chromium
  /usr/bin/chromium-browser
  /usr/bin/google-chrome
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
)

find_browser() {
  local place
  for place in "${CHROMIUM_PATH:-}" "${PLACES[@]}"; do
    if [ -x "$place" ]; then
      printf '%s\n' "$place"
      return
    fi
  done
  return 1
}

if ! find_browser >/dev/null && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi

if browser=$(find_browser); then
  "$browser" --version
else
  echo "There is no Chromium. Install it, or name it in CHROMIUM_PATH." >&2
  exit 1
fi
