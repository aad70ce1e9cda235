# The daily commands; `just` lists them.

default:
    @just --list

# all checks, as CI runs them
check:
    sim/check.sh

# one test or a room of them: `just test floors::`
test NAME='':
    cargo test --test all -- {{NAME}}

# formatting and lints
lint:
    cargo fmt --check
    cargo clippy --all-targets --quiet -- -D warnings

# what the examples generate, written anew
generated:
    for config in examples/*.yaml; do cargo run --quiet --release -- generate "$config" --force; done

# snapshots, accepted as they are now: look at the difference before you commit it
snapshots:
    INSTA_UPDATE=always cargo test

# how fast model and emitter are
bench:
    cargo bench --bench speed

# docs/speed.md, measured anew: a few minutes, best on a machine that does nothing else
speed:
    cargo bench --bench page
