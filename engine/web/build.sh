#!/usr/bin/env bash
# Builds the page with the engine in WebAssembly: a folder of static files for any web server. With esbuild, a package of
# Debian, its scripts become one file.
#
#     rustup target add wasm32-unknown-unknown
#     engine/web/build.sh target/web
#
# Other toolchains are chosen as usual, by RUSTC and further arguments, which go to Cargo.
set -euo pipefail
out=${1:?usage: engine/web/build.sh FOLDER [arguments of cargo]}
shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.."
cargo rustc --release -p agoge-web --lib --crate-type cdylib --no-default-features \
    --target wasm32-unknown-unknown "$@" -- -C strip=symbols
mkdir -p "$out/positions"
cp -r engine/web/page/. "$out/"
# Without what the page does not read.
for file in mates puzzles tactics; do
    sed -E -e '/^#/d' -e 's/ (ce|acd|acn|c1 better|c1 [0-9]+|c3) [^;]*;//g' "positions/$file.epd" >"$out/positions/$file.epd"
done
cp engine/core/data/theory.bin "$out/positions/"
cp "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/release/agoge_web.wasm" "$out/agoge.wasm"
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
