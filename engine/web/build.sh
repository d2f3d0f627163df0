#!/usr/bin/env bash
# Builds the page with the engine in WebAssembly: a folder of static files for any web server.
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
cargo rustc --release -p agoge-wasm --lib --crate-type cdylib --target wasm32-unknown-unknown "$@" -- -C strip=symbols
mkdir -p "$out/positions"
cp -r engine/web/page/. "$out/"
# Without comments, indentation and empty lines. No text in the page's files goes over the end of a line.
sed -E -i -e '/^[ \t]*\/\*.*\*\/[ \t]*$/d' -e '/^[ \t]*\/\*/{/\*\//!{:a;N;/\*\//!ba;d}}' -e '/^[ \t]*\/\//d' -e 's/^[ \t]+//' -e '/^$/d' \
    "$out"/js/*.js "$out"/css/*.css
# Without what the page does not read.
for file in mates tactics; do
    sed -E -e '/^#/d' -e 's/ (ce|acd|acn|c1 better) [^;]*;//g' "positions/$file.epd" >"$out/positions/$file.epd"
done
cp "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/release/agoge_wasm.wasm" "$out/agoge.wasm"
sed -i 's/^export const BACKEND = .*/export const BACKEND = "wasm";/' "$out/js/config.js"
# The native server sends this policy as a header.
policy="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self' blob:; worker-src 'self'; base-uri 'none'; form-action 'none'"
sed -i "s|^<meta charset=\"utf-8\">|&\n<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">|" "$out/index.html"
echo "The page is in $out"
