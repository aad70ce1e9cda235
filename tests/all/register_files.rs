//! Files that tell others the registers of a design, for `PeakRDL`, Vivado, C and `LiteX`.

use std::fs;
use std::process::Command;

use crate::fixtures::called::{PYTHON, generated};
use crate::fixtures::command::{Ended, Place, project};
use crate::fixtures::tools::{has, said};

fn config(bus: &str, link: &str) -> String {
    format!(
        "{{ name: calls, topology: {{ torus: [2, 4] }}, link: {{ {link} }}, host: {{ bus: {bus} }}, programs: \
         [{{ collective: gossip }}, {{ collective: all-reduce, operation: sum, count: 1 }}] }}"
    )
}

fn compared(place: &Place) -> Ended {
    let script = project().join("sim/registers.py");
    Command::new(PYTHON).arg(script).arg("calls").current_dir(place.path()).output().unwrap().into()
}

#[test]
fn every_file_has_the_registers_that_peakrdl_reads() {
    if !has(PYTHON) || !has("peakrdl") {
        return;
    }
    for (bus, link, registers, files) in [
        ("uart", "width: 8", 13, "calls.rdl, calls.h, csr.csv"),
        ("axi-lite", "width: 32", 13, "calls.rdl, calls.h, csr.csv, component.xml"),
        ("uart", "elastic: true, checksum: crc8, boards: [1, 2]", 15, "calls.rdl, calls.h, csr.csv"),
    ] {
        let ended = compared(&generated(&config(bus, link)));
        assert_eq!(ended.stdout, format!("{registers} registers are the same in {files}\n"), "{}", ended.stderr);
    }
}

#[test]
fn a_register_that_differs_is_seen() {
    if !has(PYTHON) || !has("peakrdl") {
        return;
    }
    let place = generated(&config("axi-lite", "width: 32"));
    for (file, right, wrong) in [
        ("calls.rdl", "@ 0x1c", "@ 0x2c"),
        ("calls.rdl", "sw = rw", "sw = r"),
        ("calls.rdl", "} ROOT @", "} ROOTS @"),
        ("calls.h", "_CYCLES 0x20", "_CYCLES 0x24"),
        ("csr.csv", ",1,ro", ",1,rw"),
        ("component.xml", "read-only", "read-write"),
    ] {
        let path = place.path().join("calls").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(right), "{file}: {right}");
        fs::write(&path, text.replacen(right, wrong, 1)).unwrap();
        assert_ne!(compared(&place).code, 0, "{file}: {wrong} is not seen");
        fs::write(&path, text).unwrap();
    }
    assert_eq!(compared(&place).code, 0);
}

/// The hash of a design and the register that says it have names of their own.
#[test]
fn the_header_compiles_without_a_warning() {
    if !has("g++") {
        return;
    }
    let place = generated(&config("uart", "width: 8"));
    place.write(
        "host.c",
        "#include \"calls/calls.h\"\nint is_it(const volatile unsigned *at) { return at[CALLS_HASH / 4] == CALLS_DESIGN_HASH && CALLS_NODES == 8; }\n",
    );
    let compiled = Command::new("g++")
        .args(["-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "host.c"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", said(&compiled));
}
