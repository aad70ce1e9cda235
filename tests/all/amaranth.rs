//! Designs as components of Amaranth: converted to Verilog with the logic around them, and played.

use std::fs;
use std::process::Command;

use crate::fixtures::called::{PYTHON, generated, run_with_package, script, spoil_router};
use crate::fixtures::command::{Place, project};
use crate::fixtures::tools::{has, said};

const CALLS: &str = "name: calls\ntopology: { torus: [2, 3] }\nlink: { width: 16 }\nhost: { bus: streams }\nprograms:\n  \
                     - { collective: gossip }\n  - { collective: all-reduce, operation: sum }\n";

const BENCH: &str = include_str!("fixtures/checked.v");

/// Last words of a bench of `checked.v`, the design around the collectives.
fn played(place: &Place, bench: &str) -> String {
    let folder = place.path();
    place.write("bench.v", bench);
    let list = fs::read_to_string(folder.join("calls/calls.f")).unwrap();
    let files = list.lines().map(|path| format!("calls/{path}"));
    let files: Vec<String> = files.chain(["checked.v".to_owned(), "bench.v".to_owned()]).collect();
    let built =
        Command::new("iverilog").args(["-g2005", "-o", "sim"]).args(files).current_dir(folder).output().unwrap();
    assert!(built.status.success(), "{}", said(&built));
    said(&Command::new("vvp").args(["-n", "sim"]).current_dir(folder).output().unwrap())
}

#[test]
fn an_amaranth_design_calls_collectives_and_gets_every_word() {
    if !["amaranth-rpc", PYTHON, "iverilog"].into_iter().all(has) {
        return;
    }
    for (config, words) in [
        (CALLS.to_owned(), 40 * 6 * 6),
        (CALLS.replace("[2, 3]", "[3, 4]"), 40 * 12 * 12),
        (CALLS.replace("torus: [2, 3]", "mesh: [2, 2]"), 40 * 4 * 4),
    ] {
        let place = generated(&config);
        let ended = script(&place, "amaranth_design.py", &["calls", "checked.v"]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{config}");
        assert_eq!(played(&place, BENCH), format!("PASS {words} words\n"), "{config}");
        // a router that is wrong is seen
        spoil_router(&place);
        assert!(played(&place, BENCH).starts_with("FAIL"), "{config}");
    }
}

#[test]
fn the_component_of_the_page_sums_up_a_word_of_every_node() {
    if !["amaranth-rpc", PYTHON, "iverilog"].into_iter().all(has) {
        return;
    }
    let page = fs::read_to_string(project().join("docs/calls.md")).unwrap();
    let begun = page.split_once("## In Amaranth").unwrap().1.split_once("```python\n").unwrap().1;
    let block = begun.split_once("```").unwrap().0;
    let place = generated(CALLS);
    let convert = "from amaranth.back import verilog\nopen('checked.v', 'w').write(verilog.convert(Sum(), name='sum', emit_src=False))\n";
    let ended = run_with_package(&place, &(block.to_owned() + convert));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let bench = "module bench;\nreg clk = 0, rst = 1;\nwire ready;\nwire [15:0] total;\nalways #5 clk = ~clk;\n\
                 sum sum (.clk(clk), .rst(rst), .ready(ready), .total(total));\n\
                 initial begin #100 rst = 0; #9000 $display(\"%0d\", total); $finish; end\nendmodule\n";
    assert_eq!(played(&place, bench), "18\n", "3 of each of 6 nodes");
}

/// Adds up the words that node 0,0 has of the first collective, the number of each node.
const GATHERED: &str = "from amaranth.back import verilog\nfrom amaranth.hdl import Module, Signal\nfrom amaranth.lib.wiring import Component, Out\n\
from torusweave.amaranth import Design
class Sum(Component):
    total: Out(16)
    def elaborate(self, platform):
        m = Module()
        m.submodules.torus = torus = Design('calls/component.xml')
        m.d.comb += torus.start.eq(1)
        into = [getattr(torus, bus.name) for bus in torus.streams if not bus.is_master]
        for number, port in enumerate(into):
            m.d.comb += [port.valid.eq(1), port.payload.data.eq(number + 1), port.payload.last.eq(1)]
        for bus in torus.streams:
            if bus.is_master:
                m.d.comb += getattr(torus, bus.name).ready.eq(1)
        out, count = torus.n0_0_m_axis, Signal(8)
        with m.If(out.valid & (count < len(into)) & ~torus.misframed):
            m.d.sync += [self.total.eq(self.total + out.payload.data * (out.payload.user + 1)), count.eq(count + 1)]
        return m
open('checked.v', 'w').write(verilog.convert(Sum(), name='sum', emit_src=False))
";

#[test]
fn a_component_of_one_collective_gathers_a_word_of_every_node() {
    if !["amaranth-rpc", PYTHON, "iverilog"].into_iter().all(has) {
        return;
    }
    let place = Place::new();
    let command = "generate --torus 2x4 --width 16 --scheme optimal --order origin --name calls --out calls";
    assert_eq!(place.run(command).code, 0);
    fs::copy(place.path().join("calls/calls_system.f"), place.path().join("calls/calls.f")).unwrap();
    let ended = run_with_package(&place, GATHERED);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let bench = "module bench;\nreg clk = 0, rst = 1;\nwire [15:0] total;\nalways #5 clk = ~clk;\n\
                 sum sum (.clk(clk), .rst(rst), .total(total));\n\
                 initial begin #100 rst = 0; #9000 $display(\"%0d\", total); $finish; end\nendmodule\n";
    // the number of each node, times that which comes with it
    let sum: u32 = (1..=8).map(|number| number * number).sum();
    assert_eq!(played(&place, bench), format!("{sum}\n"));
    spoil_router(&place);
    assert_ne!(played(&place, bench), format!("{sum}\n"));
}

#[test]
fn components_have_the_streams_of_their_design() {
    if !["amaranth-rpc", PYTHON].into_iter().all(has) {
        return;
    }
    let place = generated(&(CALLS.to_owned() + "local: { order: origin, words: 1 }\n"));
    let looked = "from torusweave.amaranth import Design\nfrom torusweave import TorusError\nd = Design('calls')\n\
                  print(len(d.streams), d.n1_2_m_axis.payload.shape().size, d.n1_2_s_axis.payload.shape().size, len(d.misframed))\n\
                  try:\n    Design('.')\nexcept TorusError as error:\n    print(error)\n";
    let ended = run_with_package(&place, looked);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    // a word, its end, its program and its node; and no node where words come in
    assert_eq!(lines[0], "12 21 18 6", "{}{}", ended.stdout, ended.stderr);
    assert!(lines[1].starts_with("component.xml: ") && lines[1].contains("have it"), "{}", lines[1]);
    // faults of the file are told in words
    let path = place.path().join("calls/component.xml");
    let text = fs::read_to_string(&path).unwrap();
    for (right, wrong, about) in [
        (">n0_1_m_axis_tlast<", ">n0_9_m_axis_tlast<", "which is no port of calls_system"),
        (">TVALID<", ">TVALUE<", "has no tvalid"),
        (">CLK<", ">CLOCK<", "bus clk has no clk"),
        (">15</spirit:left>", ">f</spirit:left>", "invalid literal"),
        ("</spirit:component>", "", "no element found"),
        ("<spirit:modelName>calls_system</spirit:modelName>", "", "there is no model/views/view/modelName"),
    ] {
        assert!(text.contains(right), "{right}");
        fs::write(&path, text.replacen(right, wrong, 1)).unwrap();
        let looked = "from torusweave.amaranth import Design\nfrom torusweave import TorusError\ntry:\n    Design('calls').elaborate(None)\n\
                      except TorusError as error:\n    print(error)\n";
        let ended = run_with_package(&place, looked);
        assert!(ended.code == 0 && ended.stdout.contains(about), "{wrong}: {}{}", ended.stdout, ended.stderr);
    }
}
