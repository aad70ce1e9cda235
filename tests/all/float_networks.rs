//! Sums of floats with packets of one flit on networks of every kind: Verilog, model, `torusweave reduce` and
//! `torusweave.reference` have the same bits.

use std::process::Command;

use torusweave::check;
use torusweave::design::Design;
use torusweave::net::NodeId;
use torusweave::play::{Combiner, Payloads, Values};
use torusweave::program::Number;
use torusweave::schemes::optimal;

use crate::farm::{built, config};
use crate::fixtures::command::{Place, project};
use crate::fixtures::tools::{equals_the_model, has, toolchain};

const PYTHON: &str = "torusweave-python";

/// Topologies of YAML with settings: `auto` on each.
const NETWORKS: [(&str, &str); 10] = [
    ("torus: [4, 4]", "f32 all-reduce"),
    ("torus: [3, 5]", "bf16 all-reduce"),
    ("torus: [4, 6]", "f16 all-reduce flush"),
    ("mesh: [3, 4]", "f32 all-reduce"),
    ("torus: [4, 4], dead: { links: [\"0,0:x1+\"], nodes: [\"2,1\"] }", "bf16 all-reduce flush"),
    ("torus: [3, 5], open: [x2]", "f16 reduce-scatter"),
    ("lattice: [[4, 2], [0, 6]]", "f32 all-reduce flush"),
    ("torus: [3, 3, 3]", "bf16 reduce-scatter"),
    ("path: 5", "f32 reduce-scatter"),
    ("mesh: [2, 2, 3]", "f16 all-reduce"),
];

/// Builds the sum of a configuration like `f32 all-reduce flush`, with more settings.
fn design_with(topology: &str, sum: &str, more: &[&str]) -> Design {
    let mut words = sum.split(' ');
    let (number, collective) = (words.next().unwrap(), words.next().unwrap());
    let width = if number == "f32" { 32 } else { 16 };
    let mut settings = vec![
        format!("number={number}"),
        format!("collective={collective}"),
        "operation=sum".to_owned(),
        format!("link.width={width}"),
    ];
    settings.extend(words.map(|word| format!("{word}=true")));
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    built(config(topology, &[&settings, more])).unwrap_or_else(|error| panic!("{topology}: {error}"))
}

fn design(topology: &str, sum: &str) -> Design {
    design_with(topology, sum, &[])
}

/// Values of all nodes, as drawn for a run: NaN, infinity, subnormal numbers and cancellation are among them.
fn drawn(design: &Design, seed: u64) -> Vec<u64> {
    let program = &design.program;
    let values = Values::drawn(program, Payloads { width: design.config.width(), seed });
    let of = |node: NodeId| (0..program.demand.flits() as u32).map(move |flit| (node, flit));
    program.topology.node_ids().flat_map(of).map(|(node, flit)| values.of(node, flit)[0]).collect()
}

/// Results of the model.
fn combined(design: &Design, values: &[u64]) -> Vec<u64> {
    let program = &design.program;
    let given = Values::given(program, design.config.width(), values.to_vec());
    let mut combiner = Combiner::with(program, given).unwrap();
    while !combiner.is_done() {
        combiner.step();
    }
    (0..program.demand.flits() as u32).map(|flit| combiner.result(NodeId(0), flit)[0]).collect()
}

fn line(bits: &[u64], width: u32) -> String {
    bits.iter().map(|&bits| Number::hexadecimal(bits, width)).collect::<Vec<_>>().join(" ") + "\n"
}

/// Compares runs of a design with `torusweave.reference`, and says what the script printed.
fn compared_in_python(design: &Design, runs: u64, edit: impl Fn(String) -> String) -> (bool, String) {
    let place = Place::new();
    let width = design.config.width();
    let (mut given, mut wanted) = (String::new(), String::new());
    for seed in 0..runs {
        let values = drawn(design, seed);
        wanted += &line(&combined(design, &values), width);
        given += &line(&values, width);
    }
    place.write("program.json", edit(design.program.json()));
    place.write("values.txt", given);
    place.write("wanted.txt", wanted);
    let script = project().join("python/torusweave/tests/reference.py");
    let mut command = Command::new(PYTHON);
    command.current_dir(place.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.arg(script).args(["program.json", "values.txt", "wanted.txt"]).output().unwrap();
    let printed = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
    (output.status.success(), printed)
}

#[test]
fn auto_finds_a_scheme_for_packets_of_one_flit_on_every_network() {
    for (topology, config) in NETWORKS {
        let design = design(topology, config);
        let report = check::by_execution(&design.program);
        assert!(report.passed(), "{topology}: {:?}", report.violations.first());
        assert!(design.program.flits == 1 && design.program.adders() > 0, "{topology}");
        let reason = design.reason.as_ref().unwrap();
        let taken = reason.compared.iter().find(|it| it.scheme == design.scheme).unwrap();
        assert_eq!(taken.steps, design.program.ticks, "{topology}: {reason}");
        assert!(reason.compared.iter().all(|it| it.steps >= taken.steps), "{topology}: {reason}");
    }
}

#[test]
fn the_reference_of_the_python_package_has_the_bits_of_the_model() {
    if !has(PYTHON) {
        return;
    }
    for (topology, config) in NETWORKS {
        let (is_right, printed) = compared_in_python(&design(topology, config), 20, |json| json);
        assert!(is_right && printed.contains("of 20 runs right"), "{topology}, {config}: {printed}");
    }
}

/// The comparison is tried: another order of operands, subnormal numbers that are kept, another operation.
#[test]
fn another_program_has_other_bits_in_python() {
    if !has(PYTHON) {
        return;
    }
    let design = design("torus: [3, 5]", "bf16 all-reduce flush");
    let edits = [("\"flush\": true", "\"flush\": false"), ("\"operation\": \"sum\"", "\"operation\": \"max\"")];
    for (from, to) in edits {
        let (is_right, printed) = compared_in_python(&design, 4, |json| {
            assert!(json.contains(from), "{from}");
            json.replace(from, to)
        });
        assert!(!is_right && printed.contains("results differ"), "{to}: {printed}");
    }
}

fn verilog_equals_the_model(at: usize) {
    let Some(tools) = toolchain() else { return };
    let (topology, config) = NETWORKS[at];
    let design = design(topology, config);
    equals_the_model(&tools, topology, &design.program, &design.options());
}

#[test]
fn verilog_of_floats_on_a_4x4_torus_equals_the_model() {
    verilog_equals_the_model(0);
}

#[test]
fn verilog_of_floats_on_a_3x5_torus_equals_the_model() {
    verilog_equals_the_model(1);
}

#[test]
fn verilog_of_floats_on_a_4x6_torus_equals_the_model() {
    verilog_equals_the_model(2);
}

#[test]
fn verilog_of_floats_on_a_mesh_equals_the_model() {
    verilog_equals_the_model(3);
}

#[test]
fn verilog_of_floats_on_a_damaged_torus_equals_the_model() {
    verilog_equals_the_model(4);
}

#[test]
fn verilog_of_floats_on_a_twisted_torus_equals_the_model() {
    verilog_equals_the_model(6);
}

/// Trees of fewer branches need fewer adders in a row: the fabric is smaller, and a partial is sooner at its node.
#[test]
fn fewer_branches_are_taken_where_they_are_faster() {
    for (topology, rows, most) in [("torus: [4, 4]", 1, 90), ("torus: [3, 3, 3]", 1, 100), ("torus: [4, 4, 4]", 2, 185)]
    {
        let program = design(topology, "f32 all-reduce").program;
        assert_eq!(program.adder_rows(), rows, "{topology}");
        assert!(program.ticks <= most, "{topology}: {} ticks", program.ticks);
    }
}

/// Ticks that docs/floats.md says.
#[test]
fn an_8x8_torus_adds_floats_of_one_flit_in_234_ticks() {
    let more = ["scheme=optimal", "adder=11"];
    let program = design_with("torus: [8, 8]", "f32 all-reduce", &more).program;
    assert_eq!((program.ticks, program.adder_rows()), (234, 2));
}

/// With packets that are as long as a partial is on its way nothing is gained by other trees, but adders are.
#[test]
fn long_packets_take_the_scheme_of_fewest_adders_among_equals() {
    let taken = |scheme: &str| design_with("torus: [4, 4]", "f32 all-reduce", &["link.flits=64", scheme]);
    let auto = taken("scheme=auto");
    for scheme in ["scheme=staircase", "scheme=hamiltonian"] {
        let other = taken(scheme);
        let of = |design: &Design| (design.program.ticks, design.program.adders());
        assert!(of(&auto) <= of(&other), "{scheme}");
    }
}

/// Two operands per output, as long as that costs no step.
#[test]
fn optimal_prefers_one_adder_per_output_where_steps_are_equal() {
    for side in [3, 5, 7] {
        let torus = format!("torus: [{side}, {side}]");
        let design = design_with(&torus, "f32 reduce-scatter", &["link.flits=64", "scheme=optimal"]);
        let fewest = optimal::bound(&[side, side]) * 64 + design.program.reduce_latency() - 1;
        assert_eq!(design.program.ticks, fewest, "{side}");
        assert_eq!(design.program.adders(), 4 * u64::from(design.program.topology.nodes()), "{side}");
    }
}
