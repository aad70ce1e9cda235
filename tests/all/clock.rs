//! The model of clocks behind `--device`, beside what was measured.

use clap::ValueEnum;
use serde_json::Value;
use torusweave::net::{ShapeName, Topology};
use torusweave::study::clock::ModelDevice;
use torusweave::study::hardware::ModuleCells;

use crate::fixtures::command::{Place, project};

/// Per cent by which an expected clock may differ from a measured one, as docs/compare.md says.
fn tolerance(device: ModelDevice) -> f64 {
    if device == ModelDevice::Hx8k { 15.0 } else { 25.0 }
}

/// Network that `--torus 4x4` or `--mesh 4x5` stands for.
fn network(shape: &str, sides: &str) -> Topology {
    let sides: Vec<u32> = sides.split('x').map(|side| side.parse().unwrap()).collect();
    let shape = if shape == "--mesh" { ShapeName::Mesh } else { ShapeName::Torus };
    Topology::new(shape, &sides).unwrap()
}

#[test]
fn expected_clocks_are_near_those_of_the_page() {
    let page = std::fs::read_to_string(project().join("docs/tables/fpga-cost.md")).unwrap();
    let rows = page.lines().take_while(|line| !line.starts_with("## Designs")).filter(|line| line.starts_with("| `--"));
    // gossip by wired routers: of others `compare --device` has no clocks
    let plain = rows.filter(|row| !row.contains("--crossbar") && !row.contains("--collective"));
    let mut held = 0;
    for row in plain {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let flags: Vec<&str> = cells[1].trim_matches('`').split(' ').collect();
        let device = ModelDevice::from_str(cells[2], false).unwrap();
        let luts = ModuleCells { luts: cells[3].parse().unwrap(), ..ModuleCells::default() };
        let expected = device.clock(&network(flags[0], flags[1]), luts).expect("it was placed");
        for (expected, measured) in [(expected.fabric, cells[8]), (expected.wires, cells[9])] {
            let off = 100.0 * (expected / measured.parse::<f64>().unwrap() - 1.0).abs();
            assert!(off <= tolerance(device), "{expected:.0} MHz expected, {measured} measured: {row}");
            held += 1;
        }
    }
    assert!(held > 20, "{held} clocks were compared");
}

/// Times are the steps and the bound at the clocks of fabric and wires.
#[test]
fn times_are_steps_at_the_expected_clock() {
    let ended = Place::new()
        .run("compare --torus 4x4 --width 8 --device hx8k --columns steps,ratio,clock,ns,floor,luts --format json");
    let all: Value = serde_json::from_str(&ended.stdout).unwrap();
    let rows = all["networks"][0]["rows"].as_array().unwrap();
    assert!(rows.len() > 3, "{all}");
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        let cells = ModuleCells { luts: row["luts"].as_u64().unwrap(), ..ModuleCells::default() };
        let clock = ModelDevice::Hx8k.clock(&network("--torus", "4x4"), cells).unwrap();
        let bound = number("steps") / number("ratio");
        let expected = [
            ("clock", clock.fabric),
            ("ns", number("steps") * 1e3 / clock.fabric),
            ("floor", bound * 1e3 / clock.wires),
        ];
        for (key, expected) in expected {
            assert!((number(key) - expected).abs() < 1e-3, "{key}: {expected} expected, {row}");
        }
    }
}

/// Without `--columns` they follow the paper's times, and a page names the device in its command.
#[test]
fn a_device_adds_its_columns_to_the_usual_ones() {
    let place = Place::new();
    let header = |flags: &str| {
        let ended = place.run(&format!("compare --torus 4x4 --width 8 {flags} --format csv"));
        ended.stdout.lines().next().unwrap().to_owned()
    };
    let usual = header("");
    assert!(!usual.contains("clock"), "{usual}");
    assert_eq!(header("--device hx8k"), usual.replace(",ratio", ",clock,ns,floor,ratio"));
    let page = place.run("compare --torus 4x4 --width 8 --device ecp5-25k --format markdown").stdout;
    assert!(page.contains("`torusweave compare --torus 4x4 --width 8 --device ecp5-25k --format markdown`"), "{page}");
}

#[test]
fn devices_that_are_too_small_have_no_clock() {
    let place = Place::new();
    let clocks = |device: &str, width: u32| {
        let ended =
            place.run(&format!("compare --torus 4x4 --width {width} --device {device} --columns clock --format csv"));
        let clocks = ended.stdout.lines().skip(1).map(|row| row.rsplit(',').next().unwrap().to_owned());
        clocks.collect::<Vec<_>>()
    };
    let too_wide = clocks("hx8k", 128);
    assert!(too_wide.iter().any(String::is_empty) && too_wide.iter().any(|clock| !clock.is_empty()), "{too_wide:?}");
    assert!(clocks("ecp5-85k", 128).iter().all(|clock| clock.parse::<f64>().is_ok()));
}

/// One model stands behind all three commands.
#[test]
fn check_and_schemes_show_the_times_of_compare() {
    let place = Place::new();
    let json = |command: &str| -> Value {
        let ended = place.run(&format!("{command} --torus 6x6 --width 8 --device ecp5-25k --format json"));
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {}", ended.stderr))
    };
    let compared = json("compare --columns clock,ns,floor");
    let schemes = json("schemes");
    let mut seen = 0;
    for row in compared["networks"][0]["rows"].as_array().unwrap() {
        let mut listed = schemes["schemes"].as_array().unwrap().iter();
        let scheme = listed.find(|listed| listed["name"] == row["scheme"]).unwrap();
        let mut ways = scheme["on_network"]["steps"].as_array().unwrap().iter();
        let way = ways.find(|way| way["switching"] == row["switching"]).unwrap();
        for (key, column) in [("mhz", "clock"), ("ns", "ns"), ("floor_ns", "floor")] {
            let (ours, theirs) = (way["time"][key].as_f64().unwrap(), row[column].as_f64().unwrap());
            assert!((ours - theirs).abs() < 1e-3, "{column}: {way}, {row}");
        }
        seen += 1;
    }
    assert!(seen > 4, "{compared}");
    let checked = json("check --scheme auto");
    let among = checked["compared"].as_array().unwrap();
    assert!(among.len() > 2, "{checked}");
    let taken = among.iter().find(|candidate| candidate["scheme"] == checked["scheme"]).unwrap();
    assert_eq!(taken["ns"], checked["time"]["ns"]);
    for candidate in among {
        let mut listed = schemes["schemes"].as_array().unwrap().iter();
        let scheme = listed.find(|listed| listed["name"] == candidate["scheme"]).unwrap();
        assert_eq!(scheme["on_network"]["steps"][0]["time"]["ns"], candidate["ns"], "{candidate}");
    }
}

#[test]
fn designs_without_a_model_are_refused_with_a_cure() {
    let place = Place::new();
    for flags in ["--collective broadcast", "--crossbar configurable"] {
        let ended = place.run(&format!("check --torus 4x4 --device hx8k {flags}"));
        assert!(ended.stderr.starts_with("error: --device: not supported with "), "{}", ended.stderr);
        assert!(ended.stderr.contains("help: `torusweave fpga`"), "{}", ended.stderr);
    }
    let ended = place.run("check --torus 64x64 --device hx8k");
    assert!(ended.stdout.contains("  time        does not fit hx8k\n"), "{}", ended.stdout);
}
