#!/usr/bin/env bash
# Builds the page with the engine in WebAssembly: a folder of static files for any web server. With esbuild, a package of
# Debian, its scripts become one file. Needs Python 3.
#
#     rustup target add wasm32-unknown-unknown
#     engine/web/build.sh target/web
#
# Other toolchains are chosen as usual, by RUSTC and further arguments, which go to Cargo. With THREADS=1 there is a second
# module, for browsers that share memory between threads. It needs a standard library of its own, compiled with atomics, which
# stable Rust does only if it is told to:
#
#     rustup component add rust-src
#     THREADS=1 RUSTC_BOOTSTRAP=1 engine/web/build.sh target/web
set -euo pipefail
out=${1:?usage: engine/web/build.sh FOLDER [arguments of cargo]}
shift
out=$(realpath -m "$out")
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-target}
build() {
    cargo rustc --release -p agoge-web --lib --crate-type cdylib --no-default-features \
        --target wasm32-unknown-unknown "$@" -- -C strip=symbols
}
build "$@"
if [ -n "${THREADS:-}" ]; then
    # The memory has 32 MiB at first and 1 GiB at most, as the page gives it to the module (threads.js).
    flags="-C target-feature=+simd128,+atomics,+bulk-memory,+mutable-globals -C link-arg=-zstack-size=16777216"
    for argument in shared-memory import-memory initial-memory=33554432 max-memory=1073741824 \
        export=__wasm_init_tls export=__tls_size export=__stack_pointer; do
        flags+=" -C link-arg=--$argument"
    done
    RUSTFLAGS=$flags CARGO_TARGET_DIR=$target/threads build -Zbuild-std=std,panic_abort "$@"
fi
files=$(mktemp -d)
trap 'rm -r "$files"' EXIT
cp -r engine/web/page/. engine/web/static/. "$files/"
cp engine/logo/agoge-192x192.png "$files/icon-192.png"
cp engine/logo/agoge-512x512.png "$files/icon-512.png"
cp engine/logo/maskable-512x512.png "$files/icon-maskable.png"
mkdir "$files/positions"
# Without what the page does not read.
for file in mates puzzles tactics; do
    sed -E -e '/^#/d' -e 's/ (ce|acd|acn|c1 better|c1 [0-9]+|c3) [^;]*;//g' "positions/$file.epd" >"$files/positions/$file.epd"
done
cp engine/core/data/theory.bin "$files/positions/"
cp "$target/wasm32-unknown-unknown/release/agoge_web.wasm" "$files/agoge.wasm"
if [ -n "${THREADS:-}" ]; then
    cp "$target/threads/wasm32-unknown-unknown/release/agoge_web.wasm" "$files/agoge-threads.wasm"
    sed -i 's/^export const THREADS = .*/export const THREADS = true;/' "$files/js/config.js"
fi
cp engine/core/data/three-men.dtm "$files/"
# A relative path starts where Cargo takes it from.
(cd engine/core && cp "${AGOGE_EVALFILE:-nets/agoge.nnue}" "$files/agoge.nnue")
ratings=$(tr -d '\n' <engine/core/src/strength.rs | sed -n 's/.*pub const RATINGS[^=]*= \[\([^]]*\)\].*/\1/p')
sed -i -e 's/^export const BACKEND = .*/export const BACKEND = "wasm";/' \
    -e "s/^export const RATINGS = .*/export const RATINGS = [${ratings:?not found}];/" "$files/js/config.js"
# One file compresses better than many. Without esbuild the page is a third larger, but works, too.
if command -v esbuild >/dev/null; then
    small=(esbuild --minify --target=es2022 --log-level=warning)
    for entry in boot worker; do
        "${small[@]}" "$files/js/$entry.js" --bundle --format=esm --outfile="$files/$entry.js"
    done
    "${small[@]}" "$files/js/early.js" --outfile="$files/early.js"
    rm -r "$files"/js/*
    mv "$files"/{boot,worker,early}.js "$files/js/"
    "${small[@]}" "$files"/css/*.css --outdir="$files/css" --allow-overwrite
fi
engine/web/finish.py "$files" "$out"
echo "The page is in $out"
