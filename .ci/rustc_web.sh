# To be sourced, in the folder of the repository: selects Debian's rustc-web, which can compile the standard library for
# targets whose library rustup does not have here. Cargo then needs -Zbuild-std.
web=$PWD/target/rustc-web
if ! LD_LIBRARY_PATH=$web/usr/lib/x86_64-linux-gnu "$web/usr/bin/rustc" --version >/dev/null 2>&1 ||
    [ ! -d "$web/usr/lib/rustlib/src" ]; then
    apt-get update -qq
    rm -rf "$web" && mkdir -p "$web/packages"
    packages=$(apt-cache depends --recurse --no-{recommends,suggests,conflicts,breaks,replaces,enhances} rustc-web |
        grep -E '^(rustc-web|libstd-rust-web|libllvm)' | sort -u)
    # shellcheck disable=SC2086
    (cd "$web/packages" && apt-get download -qq rust-web-src $packages)
    for package in "$web"/packages/*.deb; do
        dpkg -x "$package" "$web"
    done
fi
# The linker of WebAssembly is that of rustup.
PATH=$PATH:$(dirname "$(rustc --print target-libdir)")/bin
export RUSTC=$web/usr/bin/rustc LD_LIBRARY_PATH=$web/usr/lib/x86_64-linux-gnu RUSTC_BOOTSTRAP=1
