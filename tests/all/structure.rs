//! The structural certificate says what execution says, of right programs and of wrong ones.

use torusweave::check::{
    CheckReport, Method, PacketLabel, Violation, by_either, by_execution, by_streams, by_structure, method,
};
use torusweave::net::{Port, Torus};
use torusweave::paths::supply::Switching;
use torusweave::program::{ClassId, Demand, Link, Program, ProgramBuilder, Source, Title};
use torusweave::schemes::{SCHEMES, SchemeName, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};
use torusweave::task::{Choice, Knob, Task};

use crate::fixtures::by_hand;
use crate::fixtures::designs::{OWN, late, run, woven};

/// Every design of every scheme on some sizes of every parity, sides of 2 among them.
fn programs() -> Vec<(String, Program)> {
    let planes = (2..=9).flat_map(|n1| (2..=9).map(move |n2| vec![n1, n2]));
    let more = [&[3, 3, 4][..], &[6, 3, 3], &[6, 6, 5], &[3, 4, 5], &[4, 4, 2, 4], &[4, 4, 4, 5], &[3, 3, 3, 3], &[7]];
    let sizes: Vec<Vec<u32>> = planes.chain(more.map(<[u32]>::to_vec)).collect();
    let mut programs = Vec::new();
    for dims in &sizes {
        let torus = Torus::new(dims).unwrap();
        for &scheme in SCHEMES {
            for switching in Switching::ALL {
                let task =
                    Task { topology: &torus, link: Link::default(), choice: Choice { switching, ..Choice::default() } };
                if switching == Switching::None || scheme.knobs(&task).contains(&Knob::Switching) {
                    // some schemes are refused on some sizes, and periodic switching on more
                    let built = SchemeName::from(scheme).build(&task, "any").ok();
                    programs.extend(built.map(|built| (format!("{scheme} {dims:?} {switching}"), built.program)));
                }
            }
        }
    }
    assert!(programs.len() > 400, "{} programs", programs.len());
    programs
}

/// The nodes that lack packets, with how many and which first.
fn missing(report: &CheckReport) -> Vec<(&[u32], u64, &PacketLabel)> {
    let missing = report.violations.iter().filter_map(|violation| match violation {
        Violation::Missing { node, missing, first } => Some((node.as_slice(), *missing, first)),
        _ => None,
    });
    missing.collect()
}

/// Every figure is the same; only one class for all nodes lets the certificate count duplicates.
fn agree(name: &str, executed: &CheckReport, certified: &CheckReport) {
    assert_eq!((executed.complete_at, executed.steps), (certified.complete_at, certified.steps), "{name}");
    assert_eq!(executed.link_use, certified.link_use, "{name}");
    assert!(certified.duplicates.is_none() || certified.duplicates == executed.duplicates, "{name}");
}

#[test]
fn structure_and_execution_agree_on_every_scheme() {
    for (name, program) in programs() {
        let (executed, certified) = (by_execution(&program), by_structure(&program));
        assert!(executed.passed(), "{name}: {:?}", executed.violations);
        assert!(certified.passed(), "{name}: {:?}", certified.violations);
        agree(&name, &executed, &certified);
        assert_eq!(executed.complete_at, Some(program.ticks), "{name} is as long as it must be");
    }
}

/// A program cut short by a tick lacks the same packets at the same nodes, whichever way one looks.
#[test]
fn structure_and_execution_agree_on_what_is_missing() {
    for (name, mut program) in programs().into_iter().step_by(5).filter(|(_, program)| program.ticks > 2) {
        program.ticks -= 1;
        for track in program.classes.iter_mut().flat_map(|class| &mut class.outputs) {
            if track.repeat_from.is_none() {
                let last = track.runs.last_mut().unwrap();
                last.ticks -= 1;
                if last.ticks == 0 {
                    track.runs.pop();
                }
            }
        }
        let (executed, certified) = (by_execution(&program), by_structure(&program));
        assert!(!executed.passed() && !certified.passed(), "{name}");
        let (executed, certified) = (missing(&executed), missing(&certified));
        // the first node speaks for all where they are alike
        let compared = if program.classes.len() > 1 { executed.len() } else { 1 };
        assert_eq!(executed[..compared], certified, "{name}");
    }
}

/// Execution must confirm whatever the certificate passes; tried with every wrong input of the last run of any output.
#[test]
fn structure_passes_no_program_that_execution_refuses() {
    let mut mutants = 0;
    for (name, program) in programs().into_iter().step_by(11) {
        for (class, port) in
            (0..program.classes.len()).flat_map(|class| program.topology.port_ids().map(move |p| (class, p)))
        {
            let run = program.classes[class].outputs[port.index()].runs.len() - 1;
            let right = program.classes[class].outputs[port.index()].runs[run].source;
            for wrong in program.topology.port_ids().map(|port| Source::input(port, 1)).filter(|&it| it != right) {
                let mut mutant = program.clone();
                mutant.classes[class].outputs[port.index()].runs[run].source = wrong;
                let (executed, certified) = (by_execution(&mutant), by_structure(&mutant));
                assert!(executed.passed() || !certified.passed(), "{name} class {class} {port}: {wrong:?}");
                mutants += 1;
            }
        }
    }
    assert!(mutants > 300, "{mutants} mutants");
}

#[test]
fn structure_and_execution_agree_on_packets_of_several_flits() {
    for (name, program) in programs().into_iter().filter(|(_, program)| program.topology.nodes() < 30) {
        let program = program.stretched(3).unwrap();
        let (executed, certified) = (by_execution(&program), by_structure(&program));
        assert!(executed.passed() && certified.passed(), "{name}");
        agree(&name, &executed, &certified);
        let all_but_traffic = CheckReport { method: Method::Streams, traffic: None, ..executed };
        assert_eq!(by_streams(&program), all_but_traffic, "{name}");
    }
}

/// Programs that only execution and streams can check: messages of several lengths or in a row, and packets in pieces.
#[test]
fn streams_and_execution_agree_beyond_gossip() {
    let (mut followed, mut wrong) = (0, 0);
    for program in by_hand::beyond_gossip() {
        for spoil in [false, true] {
            let mut program = program.clone();
            if spoil {
                let mut tracks = program.classes.iter_mut().flat_map(|class| &mut class.outputs);
                tracks.find(|track| track.runs[0].source != Source::Idle).unwrap().runs[0].source = Source::Idle;
            }
            let (executed, streams) = (by_execution(&program), by_streams(&program));
            if matches!(streams.violations[..], [Violation::NotCertifiable { .. }]) {
                continue;
            }
            followed += 1;
            wrong += u32::from(!executed.passed());
            assert_eq!(streams, CheckReport { method: Method::Streams, traffic: None, ..executed });
        }
    }
    assert!(followed >= 4 && wrong >= 1, "{followed} programs, {wrong} wrong ones among them");
}

/// An output off every loop that for three ticks reads what came five ticks ago, then what comes.
#[test]
fn reads_from_before_the_first_tick_are_no_traffic() {
    let torus = Torus::new(&[3, 3]).unwrap();
    let mut builder = ProgramBuilder::new(&torus, 6, Demand::gossip(&torus, 1));
    let round = [0, 1].map(|port| builder.track(&[run(OWN, 1)], late(1 - port, 1)));
    let aside = builder.track(&[run(late(0, 5), 3)], late(0, 1));
    for node in torus.node_ids() {
        builder.set(node, Port::from_index(0), round[0]);
        builder.set(node, Port::from_index(1), round[1]);
        if torus.coord(node, 1) == 0 {
            builder.set(node, Port::from_index(3), aside);
        }
    }
    let program = builder.finish(Title::new("aside", "by hand"));
    let (executed, certified) = (by_execution(&program), by_structure(&program));
    assert_eq!(executed.link_use, certified.link_use);
    assert_eq!(executed.link_use.unwrap().sum, 2 * 9 * 6 + 3 * 3);
}

/// README.md and the help of `check` name the limit.
#[test]
fn up_to_a_hundred_million_link_ticks_are_executed_and_more_are_certified() {
    let mut program = woven(&[10, 10], &Staircase, Switching::None);
    assert_eq!(by_either(&program).method, Method::Execution);
    program.ticks = 250_000;
    assert_eq!(
        (program.topology.links() * u64::from(program.ticks), method(&program)),
        (100_000_000, Method::Execution)
    );
    program.ticks += 1;
    assert_eq!(method(&program), Method::Structure);
    let large = woven(&[100, 100], &Staircase, Switching::None);
    assert_eq!(by_either(&large).method, Method::Structure);
}

/// More flits in all than a 32-bit number counts.
#[test]
fn long_packets_on_large_tori_are_certified() {
    let torus = Torus::new(&[300, 300]).unwrap();
    let task = Task { topology: &torus, link: Link::default(), choice: Choice::default() };
    for scheme in [SchemeName::from(&Optimal), SchemeName::from(&Staircase)] {
        let program = scheme.build(&task, "any").unwrap().program.stretched(50_000).unwrap();
        let report = by_structure(&program);
        assert!(report.passed(), "{scheme}: {:?}", report.violations);
        assert_eq!(report.complete_at, Some(program.ticks), "{scheme}");
    }
}

/// One node is checked for all whose neighbours are alike; a node of another class among the neighbours makes a
/// difference.
#[test]
fn nodes_with_different_neighbours_are_checked_apart() {
    for (dims, scheme) in [([128, 9], SchemeName::from(&Zigzag)), ([9, 128], SchemeName::from(&Staircase))] {
        let torus = Torus::new(&dims).unwrap();
        let choice = Choice { switching: Switching::Periodic, ..Choice::default() };
        let task = Task { topology: &torus, link: Link::default(), choice };
        let right = scheme.build(&task, "any").unwrap().program;
        let windows = right.classes.iter().flat_map(|class| &class.outputs).map(|it| it.spans(right.ticks).count());
        assert!(
            windows.max() > Some(32),
            "{dims:?}: so many that nodes are told apart by where their neighbours stand"
        );
        assert!(by_structure(&right).passed() && by_execution(&right).passed(), "{dims:?}");
        let mut tried = 0;
        for node in (5..torus.nodes() as usize).step_by(97) {
            for class in (0..right.classes.len() as u32).map(ClassId).filter(|&class| class != right.class_of[node]) {
                let mut mutant = right.clone();
                let of_node = |(at, &known): (usize, &ClassId)| if at == node { class } else { known };
                mutant.class_of = right.class_of.iter().enumerate().map(of_node).collect();
                assert!(!by_structure(&mutant).passed(), "{dims:?}: node {node} of {class:?}");
                tried += 1;
            }
        }
        assert!(tried > 10, "{dims:?}: {tried} mutants");
    }
}
