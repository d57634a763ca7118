# What the scripts here share. Sourced, never run.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PWD/node_modules/.bin:$PATH"
mkdir -p .cache

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The version of a locked crate.
locked() { awk -v name="\"$1\"" '$1 == "name" { hit = $3 == name } hit && $1 == "version" { gsub(/"/, "", $3); print $3; exit }' Cargo.lock; }

# The first of these commands that exists, as a path.
first_of() { local name; for name in "$@"; do command -v "$name" 2>/dev/null && return; done; return 1; }

chrome() { first_of "${CHROMIUM:-chromium}" chromium-browser google-chrome-stable google-chrome chrome \
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; }

# Runs a long command with its output in a log, and says every ten seconds that it is still at work.
patiently() {
  local what=$1 log start=$SECONDS pid; shift
  log=.cache/$(printf '%s' "$what" | tr -c 'A-Za-z0-9' '-').log
  say "$what …"
  "$@" >"$log" 2>&1 & pid=$!
  while for _ in {1..100}; do kill -0 $pid 2>/dev/null || break; sleep 0.1; done; kill -0 $pid 2>/dev/null; do
    printf '  %4ds  %s: %s\n' $((SECONDS - start)) "$what" "$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-100)" >&2
  done
  if wait $pid; then
    printf '  %s: done in %ds\n' "$what" $((SECONDS - start)) >&2
  else
    local status=$?
    tail -n 60 "$log" >&2
    printf '%s failed with status %d; the whole output is in %s\n' "$what" $status "$log" >&2
    return $status
  fi
}
