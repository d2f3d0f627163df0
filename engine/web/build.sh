#!/usr/bin/env bash
# Builds the page with the engine in WebAssembly: a folder of static files for any web server. With esbuild, a package of
# Debian, its scripts become one file.
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
mkdir -p "$out"
out=$(cd "$out" && pwd)
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
mkdir -p "$out/positions"
cp -r engine/web/page/. "$out/"
# Without what the page does not read.
for file in mates puzzles tactics; do
    sed -E -e '/^#/d' -e 's/ (ce|acd|acn|c1 better|c1 [0-9]+|c3) [^;]*;//g' "positions/$file.epd" >"$out/positions/$file.epd"
done
cp engine/core/data/theory.bin "$out/positions/"
cp "$target/wasm32-unknown-unknown/release/agoge_web.wasm" "$out/agoge.wasm"
if [ -n "${THREADS:-}" ]; then
    cp "$target/threads/wasm32-unknown-unknown/release/agoge_web.wasm" "$out/agoge-threads.wasm"
    sed -i 's/^export const THREADS = .*/export const THREADS = true;/' "$out/js/config.js"
fi
cp engine/core/data/three-men.dtm "$out/"
# A relative path starts where Cargo takes it from.
(cd engine/core && cp "${AGOGE_EVALFILE:-nets/agoge.nnue}" "$out/agoge.nnue")
ratings=$(tr -d '\n' <engine/core/src/strength.rs | sed -n 's/.*pub const RATINGS[^=]*= \[\([^]]*\)\].*/\1/p')
sed -i -e 's/^export const BACKEND = .*/export const BACKEND = "wasm";/' \
    -e "s/^export const RATINGS = .*/export const RATINGS = [${ratings:?not found}];/" "$out/js/config.js"
# One file compresses better than many. Without esbuild the page is a third larger, but works, too.
if command -v esbuild >/dev/null; then
    for entry in boot worker; do
        esbuild "$out/js/$entry.js" --bundle --minify --format=esm --target=es2022 --log-level=warning --outfile="$out/$entry.js"
    done
    rm -r "$out"/js/*
    mv "$out/boot.js" "$out/worker.js" "$out/js/"
    esbuild "$out"/css/*.css --minify --log-level=warning --outdir="$out/css" --allow-overwrite
fi
# The native server sends this policy as a header.
policy="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self' blob:; worker-src 'self'; base-uri 'none'; form-action 'none'"
sed -i "s|^<meta charset=\"utf-8\">|&\n<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">|" "$out/index.html"
echo "The page is in $out"
