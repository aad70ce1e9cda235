//! Designs as peripherals of `LiteX`: a system around them is written as Verilog, and its master calls them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fixtures::called::{PYTHON, generated, run_with_package, script, spoil_router};
use crate::fixtures::tools::{has, said};

const CALLS: &str = "name: calls\ntopology: { torus: [2, 3] }\nlink: { width: 16 }\nhost: { bus: axi-lite, clock: 100000000 }\n\
                     programs:\n  - { collective: gossip }\n  - { collective: all-reduce, operation: sum }\n";

/// Last words of the bench of a system with these files.
fn played(folder: &Path, files: &[String]) -> String {
    // in Icarus the combinational blocks of `LiteX` have no end
    let mut command = Command::new("verilator");
    command.args([
        "--binary",
        "--timing",
        "-Wno-fatal",
        "-Wno-WIDTH",
        "--top-module",
        "checked_tb",
        "-o",
        "checked",
        "checked.v",
        "bench.v",
    ]);
    let built = command.args(files).current_dir(folder).output().unwrap();
    assert!(built.status.success(), "{}", said(&built));
    let output = Command::new(folder.join("obj_dir/checked")).current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_litex_soc_calls_collectives_over_its_bus() {
    if !["litex_sim", PYTHON, "verilator"].into_iter().all(has) {
        return;
    }
    let place = generated(CALLS);
    let ended = script(&place, "litex_soc.py", &["calls", "6", "checked.v"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let files: Vec<String> =
        ended.stdout.lines().last().unwrap().split(' ').map(|file| format!("calls/{file}")).collect();
    let list = fs::read_to_string(place.path().join("calls/calls.f")).unwrap();
    assert_eq!(files, list.lines().map(|path| format!("calls/{path}")).collect::<Vec<_>>());
    place.write("bench.v", include_str!("fixtures/checked.v"));
    // two calls of either program: a word of each node for each, and the status
    assert_eq!(played(place.path(), &files), "PASS 148 words");
    // a router that is wrong is seen
    spoil_router(&place);
    assert!(played(place.path(), &files).starts_with("FAIL"));
}

#[test]
fn designs_without_registers_are_no_peripherals() {
    if !["litex_sim", PYTHON].into_iter().all(has) {
        return;
    }
    let looked = "from torusweave import TorusError\nfrom torusweave.litex import Peripheral\ntry:\n    Peripheral(None, 'calls')\n\
                  except TorusError as error:\n    print(error)\n";
    for (right, other, about) in [
        ("bus: axi-lite, clock: 100000000", "bus: streams", "say `host: { bus: axi-lite }`"),
        ("width: 16", "width: 16, elastic: true, checksum: crc16, boards: [1, 3]", "the design is on several boards"),
    ] {
        let place = generated(&CALLS.replace(right, other));
        let ended = run_with_package(&place, looked);
        assert!(ended.stdout.contains(about), "{}{}", ended.stdout, ended.stderr);
    }
}
