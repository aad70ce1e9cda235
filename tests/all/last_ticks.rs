//! Programs that go wrong at the very end, which is where a certificate that looks at whole runs could be fooled.

use torusweave::check::{CheckReport, Method, by_execution, by_streams, by_structure};
use torusweave::net::Torus;
use torusweave::paths::supply::Switching;
use torusweave::program::{Link, Program, Run, Source};
use torusweave::schemes::{SCHEMES, SchemeName};
use torusweave::task::{Choice, Task};

use crate::fixtures::ranges::sampled;

/// Every scheme with every way of switching, on sides of every parity.
fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for dims in [&[4, 4][..], &[6, 8], &[6, 7], &[7, 6], &[8, 6], &[5, 7], &[3, 5], &[3, 3, 4], &[5, 5]] {
        let topology = &*Torus::new(dims).unwrap();
        for &scheme in SCHEMES.iter().filter(|scheme| !scheme.stands_in()) {
            let task =
                |switching| Task { topology, link: Link::default(), choice: Choice { switching, ..Choice::default() } };
            let built = |switching| SchemeName::from(scheme).build(&task(switching), "any").ok();
            programs.extend(Switching::ALL.into_iter().filter_map(built).map(|built| built.program));
        }
    }
    programs
}

/// The program with the last run of every output split: its last tick, or its last two, given every other source.
fn mutants(program: &Program) -> Vec<Program> {
    let mut mutants = Vec::new();
    let outputs =
        (0..program.classes.len()).flat_map(|class| program.topology.port_ids().map(move |port| (class, port)));
    for (class, port) in outputs {
        let track = &program.classes[class].outputs[port.index()];
        let Run { source: right, ticks } = *track.runs.last().unwrap();
        let inputs = program.topology.port_ids().map(|port| Source::input(port, 1));
        let sources = inputs.chain([Source::own(0), Source::Idle]);
        let wrong: Vec<Source> = sources.filter(|&source| source != right).collect();
        let cuts = [1, 2].into_iter().filter(|&cut| track.repeat_from.is_none() && ticks > cut);
        for (source, cut) in cuts.flat_map(|cut| wrong.iter().map(move |&source| (source, cut))) {
            let mut mutant = program.clone();
            let runs = &mut mutant.classes[class].outputs[port.index()].runs;
            runs.last_mut().unwrap().ticks -= cut;
            runs.push(Run { source, ticks: cut });
            mutants.push(mutant);
        }
    }
    mutants
}

/// No wrong program passes. The certificate refuses some right ones, because it does not follow outputs that change at
/// the end; the numbers show when that changes.
#[test]
fn faults_in_the_last_ticks_are_found_by_both_checks() {
    let (mut tried, mut right, mut refused) = (0, 0, 0);
    for mutant in sampled(programs().iter().flat_map(mutants), 4) {
        let (executed, followed) = (by_execution(&mutant), by_streams(&mutant));
        let all_but_traffic = CheckReport { method: Method::Streams, traffic: None, ..executed.clone() };
        assert_eq!(followed, all_but_traffic, "by streams, as complete as by execution: {:?}", mutant.title);
        let (executed, certified) = (executed.passed(), by_structure(&mutant).passed());
        assert!(executed || !certified, "passed though wrong: {:?}", mutant.title);
        tried += 1;
        right += u32::from(executed);
        refused += u32::from(executed && !certified);
    }
    let is_full = std::env::var_os("TORUSWEAVE_FULL").is_some();
    let expected = if is_full { (14_228, 5_375, 2_402) } else { (3_557, 1_357, 572) };
    assert_eq!((tried, right, refused), expected);
}
