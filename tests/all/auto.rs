//! `auto` takes the fewest ticks, and says how many they are.

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::schemes::{SCHEMES, SchemeName};

use crate::fixtures::chance::Chance;
use crate::fixtures::command::Place;

fn is_full() -> bool {
    std::env::var_os("TORUSWEAVE_FULL").is_some()
}

/// Settings of a small design by chance.
fn settings(chance: &mut Chance) -> String {
    let network = chance.of(&[
        "torus: [3, 4]",
        "torus: [4, 4]",
        "torus: [2, 3]",
        "torus: [5, 5]",
        "torus: [6, 10]",
        "torus: [2, 2, 3]",
        "mesh: [2, 4]",
        "mesh: [3, 3]",
        "mesh: [3, 5]",
        "cycle: 5",
        "cycle: 6",
        "cycle: 12",
        "path: 2",
        "path: 6",
        "lattice: [[2, 1], [0, 5]]",
        "torus: [4, 4], open: [x1]",
    ]);
    let collective = chance.of(&[
        "gossip",
        "gossip",
        "broadcast",
        "scatter",
        "gather",
        "exchange",
        "reduce",
        "reduce-scatter",
        "all-reduce",
    ]);
    let mut all = vec![format!("topology: {{ {network} }}"), format!("collective: {collective}")];
    let mut link = vec![format!("flits: {}", chance.of(&[1, 1, 2, 4, 5]))];
    link.push(format!("latency: {}", chance.of(&[1, 1, 2, 3])));
    if collective.contains("reduce") {
        all.push("operation: sum".into());
        if chance.once_in(2) {
            all.push(format!("number: f16\nadder: {}", chance.of(&[1, 2, 5])));
            link.push("width: 16".into());
        }
    }
    if collective == "gossip" {
        match chance.below(4) {
            0 => all.push(format!("packets: {}", chance.within(1, 4))),
            1 => link.push(format!("duplex: {}", chance.of(&["half", "pads"]))),
            _ => {}
        }
    }
    all.push(format!("link: {{ {} }}", link.join(", ")));
    all.join("\n")
}

fn design(text: &str) -> Design {
    Design::new(Config::parse(text).unwrap()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Time of a design for so many packets, as a fraction.
fn time(design: &Design, wanted: Option<u16>) -> (u64, u64) {
    let (ticks, packets) = (u64::from(design.program.ticks), design.program.packets());
    match wanted {
        _ if !is_of_equal_packets(design) => (ticks, 1),
        Some(wanted) => (ticks * u64::from(wanted.div_ceil(packets)), 1),
        None => (ticks, packets.into()),
    }
}

fn is_of_equal_packets(design: &Design) -> bool {
    matches!(design.program.collective(), "gossip" | "reduce-scatter" | "all-reduce")
}

#[test]
fn no_scheme_that_applies_is_faster_and_the_ticks_are_those_of_the_design() {
    let mut chance = Chance(5);
    let (mut designs, mut compared) = (0, 0);
    let wanted = if is_full() { 2_000 } else { 60 };
    while designs < wanted {
        let settings = settings(&mut chance);
        let config = Config::parse(&settings).unwrap();
        let wanted_packets = config.packets.map(|packets| packets.get() as u16);
        let Ok(auto) = Design::new(config.clone()) else { continue };
        designs += 1;
        let reason = auto.reason.as_ref().expect("no scheme was named");
        let taken = reason.compared.iter().find(|candidate| candidate.scheme == auto.scheme).unwrap();
        assert_eq!(taken.ticks, u64::from(auto.program.ticks), "{settings:?}: {reason}");
        let report = check::by_either(&auto.program);
        assert!(report.passed(), "{settings:?}: {:?}", report.violations.first());
        let fastest = time(&auto, wanted_packets);
        // a scheme may have other packets if so many are asked for
        for (&scheme, packets) in SCHEMES.iter().flat_map(|scheme| [(scheme, None), (scheme, config.packets)]) {
            let named = Config { scheme: SchemeName::from(scheme), packets, ..config.clone() };
            let Ok(other) = Design::new(named) else { continue };
            compared += 1;
            assert!(other.bound().ticks <= other.program.ticks.into(), "{settings:?}: {scheme}: {:?}", other.bound());
            let (ticks, packets) = time(&other, wanted_packets);
            assert!(fastest.0 * packets <= ticks * fastest.1, "{settings:?}: {scheme} takes {ticks}, auto {reason}");
        }
    }
    println!("{compared} schemes beside auto on {designs} designs");
    assert!(compared > 2 * designs);
}

/// Reductions by adders that take ticks, in which another tree needs fewer of them in a row.
#[test]
fn auto_and_bounds_know_that_another_scheme_may_need_fewer_adders() {
    for (settings, ticks) in [
        ("topology: { mesh: [2, 3] }\ncollective: reduce\nroot: [0, 1]\noperation: max\nnumber: bf16\nadder: 5", 12),
        (
            "topology: { torus: [2, 3, 3] }\ncollective: all-reduce\noperation: sum\nnumber: f32\nadder: 1\nlink: { flits: 2 }",
            18,
        ),
        (
            "topology: { torus: [5, 3] }\ncollective: all-reduce\noperation: sum\nnumber: f16\nadder: 5\ncount: 2\nlink: { latency: 2 }",
            50,
        ),
    ] {
        let design = design(settings);
        assert!(
            design.program.ticks <= ticks && design.bound().ticks <= ticks.into(),
            "{settings}: {:?}",
            design.reason
        );
    }
}

/// Time-independent schemes of several messages compete, and what is built combines values.
#[test]
fn time_independent_schemes_combine_by_adders() {
    for settings in [
        "topology: { cycle: 2 }\noperation: custom\nadder: 1\nlink: { flits: 3 }",
        "topology: { mesh: [2, 4] }\noperation: max\nnumber: f32\nlink: { flits: 2 }",
    ] {
        let design =
            Design::new(Config::parse(&format!("{settings}\ncollective: all-reduce\nscheme: independent")).unwrap());
        assert!(design.is_err() || design.unwrap().program.reduction.is_some(), "{settings}");
    }
}

/// Networks on which another scheme than the first time-independent one is faster.
#[test]
fn auto_takes_these_ticks() {
    let ticks = |network: &str, more: &str| design(&format!("topology: {{ {network} }}\n{more}")).program.ticks;
    assert_eq!(ticks("torus: [6, 10]", "packets: 1"), 15);
    assert_eq!(ticks("torus: [6, 10]", "packets: 1\nscheme: independent"), 25);
    assert_eq!(ticks("mesh: [3, 3]", "collective: scatter\nroot: [1, 1]"), 2);
    assert_eq!(ticks("mesh: [8, 8]", "collective: gather"), 32);
    assert_eq!(ticks("mesh: [5, 6]", "collective: broadcast\nlink: { flits: 16 }"), 16);
    assert_eq!(ticks("torus: [8, 8]", "collective: scatter\nlink: { flits: 16 }"), 252);
    assert_eq!(["cycle: 6", "cycle: 12"].map(|cycle| ticks(cycle, "collective: exchange")), [5, 18]);
    assert_eq!(ticks("mesh: [2, 4]", "link: { duplex: half }"), 6);
    assert_eq!(ticks("cycle: 12", "collective: broadcast\nlink: { flits: 64 }"), 37);
}

/// The fastest scheme has a table here, and the fastest without one is named beside it.
/// Vectors of 64 times these words on an 8x8 torus: a tick above what a ring takes, for the register between the two parts.
#[test]
fn vectors_go_round_all_cycles_and_compare_says_their_ticks() {
    let printed =
        Place::new().run("compare --torus 8x8 --collective all-reduce --flits 4,8,16,100 --format json").stdout;
    let table: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let of = |row: &&serde_json::Value| row["scheme"] == "hamiltonian";
    let rows = table["surveys"][0]["rows"].as_array().unwrap();
    let told = rows.iter().find(of).unwrap()["ticks"].as_array().unwrap();
    for ((words, ticks), told) in [(4, 127), (8, 253), (16, 505), (100, 3151)].into_iter().zip(told) {
        let words = 64 * words;
        let text = format!("topology: {{ torus: [8, 8] }}\ncollective: all-reduce\noperation: sum\ncount: {words}");
        let taken = design(&text);
        assert_eq!((taken.scheme.to_string(), taken.program.ticks), ("hamiltonian".into(), ticks), "{words}");
        assert_eq!(told, ticks, "{words}");
        assert!(check::by_execution(&taken.program).passed(), "{words}");
    }
}

#[test]
fn the_scheme_that_was_passed_over_is_named_with_its_cost() {
    let place = Place::new();
    let lines = |arguments: &str| {
        let ended = place.run(&format!("check --torus {arguments}"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let found = ended.stdout.lines().filter_map(|line| line.trim().strip_prefix("passed over"));
        found.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines("6x8 --packets 1"), ["zigzag 21 ticks for 1 packet, 0.5 times the LUTs"]);
    assert!(lines("6x8").is_empty(), "the fastest scheme has no table");
    assert!(lines("6x8 --packets 1 --scheme optimal").is_empty(), "nothing is chosen");
    assert!(lines("6x8 --packets 1 --scheme independent")[0].starts_with("optimal 12 ticks"));
}

/// Reasons say what was chosen among.
#[test]
fn the_reason_says_if_schemes_were_left_out() {
    let reason = |text: &str, left: &str| {
        let others: Vec<_> = SCHEMES.iter().copied().filter(|scheme| scheme.about().name != left).collect();
        Design::without(Config::parse(text).unwrap(), &others).unwrap().reason.unwrap().to_string()
    };
    let gather = "topology: { mesh: [3, 3] }\ncollective: gather";
    assert_eq!(reason(gather, "flow"), "flow, and no other supported scheme can be faster: flow 4");
    let independent = "topology: { torus: [4, 4] }\nscheme: independent";
    let text = "staircase, and no other supported time-independent scheme can be faster: staircase 8 for 2 packets";
    assert_eq!(reason(independent, "staircase"), text);
}

/// Lanes and links that are silent before they turn: a solver knows when.
#[test]
fn small_half_duplex_networks_take_the_fewest_steps() {
    let ticks = |network: &str, link: &str| {
        let design = design(&format!("topology: {{ {network} }}\nscheme: optimal\nlink: {{ {link} }}"));
        assert!(check::by_execution(&design.program).passed(), "{network} {link}");
        design.program.ticks
    };
    let two_lanes = ["mesh: [2, 3]", "mesh: [2, 4]"].map(|mesh| ticks(mesh, "lanes: 2"));
    assert_eq!(two_lanes, [3, 4]);
    assert_eq!([ticks("path: 6", "duplex: pads"), ticks("mesh: [3, 3]", "duplex: pads")], [9, 7]);
}
