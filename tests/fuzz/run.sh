#!/usr/bin/env bash
# Runs the fuzz targets one after the other: tests/fuzz/run.sh [seconds for each [target...]]
# SANITIZER=address also detects invalid memory accesses.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-10}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(fen epd uci cecp pgn network options table)
command -v cargo-fuzz >/dev/null || cargo install -q --locked cargo-fuzz
# The stable compiler has the hooks for libFuzzer, but enables them only for nightly builds.
export RUSTC_BOOTSTRAP=1
build=${CARGO_TARGET_DIR:-target}/fuzz
for target in "${targets[@]}"; do
    echo "fuzzing $target for $seconds seconds"
    mkdir -p "$build/corpus/$target"
    # New inputs go to the corpus, not to the seeds.
    cargo fuzz run --fuzz-dir tests/fuzz --target-dir "$build" --sanitizer "${SANITIZER:-none}" "$target" \
        "$build/corpus/$target" "tests/fuzz/seeds/$target" -- -max_total_time="$seconds" -max_len=2048 -timeout=60 \
        -rss_limit_mb=4096 -dict=tests/fuzz/words.dict -print_final_stats=1 2>"$build/$target.log" ||
        { tail -n 40 "$build/$target.log" >&2; exit 1; }
    grep -E 'number_of_executed_units|average_exec_per_sec' "$build/$target.log"
done
