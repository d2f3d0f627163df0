#!/usr/bin/env bash
# Runs the fuzz targets, as many at the same time as there are processors: tests/fuzz/run.sh [seconds for each [target...]]
# SANITIZER=address also detects invalid memory accesses.
set -euo pipefail
cd "$(dirname "$0")/../.."

export seconds=${1:-10}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(fen epd uci cecp pgn network options table)
command -v cargo-fuzz >/dev/null || cargo install -q --locked --debug cargo-fuzz
# The stable compiler has the hooks for libFuzzer, but enables them only for nightly builds.
export RUSTC_BOOTSTRAP=1
export build=${CARGO_TARGET_DIR:-target}/fuzz

fuzz() {
    mkdir -p "$build/corpus/$1"
    # New inputs go to the corpus, not to the seeds.
    cargo fuzz run --fuzz-dir tests/fuzz --target-dir "$build" --sanitizer "${SANITIZER:-none}" "$1" \
        "$build/corpus/$1" "tests/fuzz/seeds/$1" -- -max_total_time="$seconds" -max_len=2048 -timeout=60 \
        -rss_limit_mb=4096 -dict=tests/fuzz/words.dict -print_final_stats=1 2>"$build/$1.log" ||
        { tail -n 40 "$build/$1.log" >&2; return 1; }
    echo "fuzzed $1 for $seconds seconds: $(grep -E 'number_of_executed_units|average_exec_per_sec' "$build/$1.log" | tr '\n' ' ')"
}
export -f fuzz

mkdir -p "$build"
cargo fuzz build --fuzz-dir tests/fuzz --target-dir "$build" --sanitizer "${SANITIZER:-none}" 2>"$build/build.log" ||
    { tail -n 40 "$build/build.log" >&2; exit 1; }
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I {} bash -euo pipefail -c 'fuzz "$1"' _ {}
