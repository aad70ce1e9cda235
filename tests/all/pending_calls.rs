//! Calls from Python that do not block: in order, with interrupts, wrong arrays, threads, forks, and a connection that is closed.

use crate::fixtures::called::{can_call, generated, page_block, run_with_package, script, served};
use crate::fixtures::command::Place;

const CALLS: &str = "name: calls\ntopology: { torus: [3, 4] }\nlink: { width: 16 }\nhost: { bus: uart }\nprograms:\n  \
                     - { collective: gossip, flits: 2 }\n  - { collective: exchange, flits: 2 }\n  - { collective: broadcast, root: any }\n";

#[test]
fn calls_that_do_not_block_are_right_whatever_happens_meanwhile() {
    if !can_call() {
        return;
    }
    let place = generated(CALLS);
    let ended = script(&place, "pending.py", &["sim:calls", "60"]);
    assert!(ended.code == 0 && ended.stdout == "176 calls right\n", "{}{}", ended.stdout, ended.stderr);
    let (_server, at) = served(&place, "tcp:0 --folder calls", 1);
    let ended = script(&place, "pending.py", &[&at, "6", "calls"]);
    assert!(ended.code == 0 && ended.stdout.ends_with(" calls right\n"), "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn the_script_of_the_page_begins_calls_and_waits() {
    if !can_call() {
        return;
    }
    let place = Place::new();
    place.write("page.yaml", page_block("## A design with programs", "yaml"));
    assert_eq!(place.run("generate page.yaml --out calls").code, 0);
    let ended = run_with_package(&place, &(page_block("## Calls that do not block", "python") + "print(len(sums))\n"));
    assert!(ended.code == 0 && ended.stdout == "3\n", "{}{}", ended.stdout, ended.stderr);
}
