# The daily commands; `just` lists them.

default:
    @just --list

# all checks, as CI runs them
check:
    sim/check.sh

# all checks over full ranges of sizes, with a thousand kills and concurrent runs
full:
    TORUSWEAVE_FULL=1 sim/check.sh

# one test or a room of them: `just test floors::`
test NAME='':
    cargo test --test all -- {{NAME}}

# formatting and lints
lint:
    cargo fmt --check
    cargo clippy --all-targets --quiet -- -D warnings

# what the examples generate, written anew
generated:
    cargo run --quiet --release -- generate examples/*.yaml --force

# the pictures of docs/gallery.md, drawn anew
gallery:
    grep -o '^`torusweave [^`]*' docs/gallery.md | sed 's/^`torusweave/cargo run --quiet --release --/' | sh

# the page of docs/playground.md, target/playground/index.html
playground:
    playground/build.py

# snapshots, accepted as they are now: look at the difference before you commit it
snapshots:
    INSTA_UPDATE=always cargo test

# configs and commands by chance
fuzz CASES='10000':
    TORUSWEAVE_FUZZ={{CASES}} cargo test --test all -- fuzz:: --nocapture

# every system call refused or killed at, kills and concurrent runs
faults:
    TORUSWEAVE_FULL=1 cargo test --test all -- faults:: --nocapture

# the C++ behind lockstep under sanitizers
sanitized:
    TORUSWEAVE_FULL=1 cargo test --test all -- sanitized:: --nocapture

# 100,000 calls from Python that are interrupted at random, on every line: a quarter of an hour
stress CALLS='100000':
    TORUSWEAVE_STRESS={{CALLS}} cargo test --test all -- stress::calls --nocapture

# one bit flipped, the next run right
upsets:
    TORUSWEAVE_FULL=1 cargo test --test all -- upset:: --nocapture

# what the tests do not see of some rooms, in one build: an hour for all, with cargo-mutants
mutants *ARGUMENTS:
    cargo run --quiet --example mutants -- {{ARGUMENTS}}

# the generated Verilog changed in hundreds of places: caught by the testbench, or proved wrong or right
rtl-mutants:
    TORUSWEAVE_FULL=all cargo test --test all -- rtl_mutants:: rtl_parts:: --nocapture

# the figures of what is broken on purpose
figures:
    cargo test --test all -- fuzz:: faults:: upset:: interrupt caught --nocapture | grep -v '^test '

# how fast model and emitter are
bench:
    cargo bench --bench speed

# seconds of the playground beside those of the same work without a browser
bench-playground: playground
    cargo bench --bench playground

# docs/tables/fpga-cost.md, placed and routed anew: an hour
fpga:
    sim/fpga.sh

# faults on the links between boards, until a million tokens have passed: a few minutes
boards:
    sim/boards.sh

# docs/tables/links.md, synthesised anew: two minutes
links:
    sim/links.sh

# docs/tables/noc.md, fabrics beside networks on chip: forty minutes or more
noc:
    benches/noc/run.sh

# docs/tables/sums.md, measured anew: seconds
sums:
    cargo build --release --locked
    python3 sim/sums.py target/release/torusweave > docs/tables/sums.md

# docs/tables/adders.md, placed and routed anew: ten minutes
adders:
    sim/adders.sh

# docs/tables/synthesisers.md, measured anew: minutes
synthesisers:
    cargo bench --bench synthesisers

# docs/tables/speed.md, measured anew: a few minutes, best on a machine that does nothing else
speed:
    cargo bench --bench page
