//! The structural certificate: follows streams and windows in O(dP) instead of moving tokens in O(dPT).
//!
//! Most outputs send their own packets first and then repeat one input, `age` ticks late. Following inputs backwards
//! from such an output leads into a closed *loop* of registers. Let phi grow by `age` from register to register along
//! the loop, and let a loop's length be the sum of its ages. Then the packet that register r holds at tick t is the one
//! injected at coordinate t - phi(r) of the loop, for every t: a whole run of ticks is one interval of coordinates.
//! An output off the loops (a supporter's, a relay's) shows intervals of the registers that it reads. The two directions
//! of a cycle are two loops with opposite coordinates. So a node knows all packets exactly when the intervals that reach
//! its ports cover every coordinate, or the packets at those left out reach it on another cycle.

mod loops;
mod places;
mod rings;
mod slots;
mod supplied;
mod windows;

use super::{CheckReport, LinkUse, Method, Tally, TrafficFigures, Violation, port_text, translate, trees};
use crate::net::{NodeId, Port};
use crate::program::{Class, Entries, Program, Source, Span};
use loops::Loops;
use windows::Windows;

/// A supporter reads a cycle, a relay a supporter; more hops than this are no schedule of ours.
const MOST_HOPS: u32 = 8;

/// Why a program cannot be certified, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Obstacle {
    register: usize,
    why: &'static str,
}

/// Certifies a program without moving tokens.
pub(super) fn certify(program: &Program) -> CheckReport {
    if let Some(why) = beyond(program) {
        return refused(program, Obstacle { register: 0, why });
    }
    let report = certify_parts(program);
    // a flit forwarded in the tick after its arrival has not waited
    let waits =
        |traffic: TrafficFigures| TrafficFigures { held: if traffic.held > 1 { traffic.held } else { 0 }, ..traffic };
    CheckReport { traffic: report.traffic.map(waits), ..report }
}

fn certify_parts(program: &Program) -> CheckReport {
    let Some(reduce) = program.reduce_part() else { return certify_part(program).0 };
    let (reduced, mut carried) = certify_part(&reduce);
    match program.gather_part() {
        Some(gather) if reduced.passed() => {
            let (gathered, more) = certify_part(&gather);
            carried.iter_mut().zip(more).for_each(|(carried, more)| *carried += more);
            let sum = [&reduced, &gathered].iter().filter_map(|part| part.link_use).map(|link_use| link_use.sum).sum();
            let link_use = LinkUse { sum, ..Tally::of(carried).link_use() };
            reduced.and_then(reduce.ticks + 1, gathered, program.flits, link_use)
        }
        Some(_) => CheckReport { complete_at: None, steps: None, ..reduced },
        None => reduced,
    }
}

/// Certifies a gossip, or what combines; and of a single class, what the link of each port carries. The largest age at which
/// anything is sent on is told whatever it is: links and flits change it.
fn certify_part(program: &Program) -> (CheckReport, Vec<u32>) {
    let refused = |why| (refused(program, Obstacle { register: 0, why }), Vec::new());
    if program.latency > 1 {
        // the last ticks are those in which the last flits arrive; all else is as on short links
        let Some(short) = program.on_short_links() else { return refused("flits are sent that do not arrive") };
        let (report, carried) = certify_part(&short);
        let more = program.latency - 1;
        let complete_at = report.complete_at.map(|tick| tick + more);
        let steps = complete_at.map(|tick| tick.div_ceil(program.flits));
        // a wait shorter than the links' latency is time in flight
        let held = |held: u32| held.saturating_sub(more);
        let traffic = report.traffic.map(|traffic| TrafficFigures { held: held(traffic.held), ..traffic });
        return (CheckReport { complete_at, steps, traffic, ..report }, carried);
    }
    if program.flits == 1 {
        return certify_packets(program);
    }
    // flits follow their packet: the program of whole packets decides, and every step lasts as many ticks as flits
    let Some(whole) = program.unstretched() else { return refused("runs and ages are not multiples of the flits") };
    let (report, carried) = certify_packets(&whole);
    let flits = program.flits;
    let in_flits = |LinkUse { sum, min, mean: _, max }: LinkUse| {
        let sum = sum * u64::from(flits);
        LinkUse { sum, min: min * flits, mean: sum as f64 / program.topology.links() as f64, max: max * flits }
    };
    let report = CheckReport {
        complete_at: report.complete_at.map(|tick| tick * flits),
        duplicates: report.duplicates.map(|packets| packets * u64::from(flits)),
        traffic: report.traffic.map(|traffic| TrafficFigures { held: traffic.held * flits, ..traffic }),
        // a violation in a step shows from its first tick on
        violations: report.violations.into_iter().map(|it| it.at(|step| (step - 1) * flits + 1)).collect(),
        link_use: report.link_use.map(in_flits),
        ..report
    };
    (report, carried.into_iter().map(|carried| carried * flits).collect())
}

/// Returns the feature of a program that the structural certificate does not support.
pub(super) fn beyond(program: &Program) -> Option<&'static str> {
    if program.demand.groups().is_some() {
        return Some("groups are not certified by structure");
    }
    if let Some(reduction) = &program.reduction {
        let Program { topology, classes, demand, .. } = program;
        let is_alike = classes.len() == 1 && topology.is_homogeneous() && demand.is_gossip();
        let is_ordered = matches!(reduction.order.entries, Entries::Offsets(_)) && !reduction.order.starts;
        (!is_alike || !is_ordered).then_some("reductions are certified by structure only where all nodes are alike")
    } else if !program.demand.is_gossip() {
        Some("only gossip and reductions are certified by structure")
    } else if !program.windows.is_empty() || !program.classes.iter().flat_map(Class::sources).all(Source::is_plain) {
        Some("packets in a row, windows and joined inputs are not certified by structure")
    } else if program.classes.len() > 1 && (program.lanes > 1 || !program.duplex.is_full()) {
        Some("lanes and half-duplex links are certified by structure only where all nodes are alike")
    } else {
        None
    }
}

fn certify_packets(program: &Program) -> (CheckReport, Vec<u32>) {
    match &program.reduction {
        Some(reduction) => trees::certify(program, reduction),
        None if program.classes.len() == 1 && program.topology.is_homogeneous() => translate::certify(program),
        None => {
            let spans = OutputSpans::new(program);
            (certify_what_is_complete(program, &spans).unwrap_or_else(|| follow(program, &spans)), Vec::new())
        }
    }
}

/// The short ways, which know programs as our constructions make them and say nothing of others.
fn certify_what_is_complete(program: &Program, spans: &OutputSpans) -> Option<CheckReport> {
    rings::certify(program, spans).or_else(|| supplied::certify(program, spans))
}

/// The long way, which numbers every register of every loop and says what is missing where.
fn follow(program: &Program, spans: &OutputSpans) -> CheckReport {
    match Loops::find(program, spans) {
        Ok(loops) => certify_windows(program, spans, &loops),
        Err(obstacle) => refused(program, obstacle),
    }
}

fn certify_windows(program: &Program, spans: &OutputSpans, loops: &Loops) -> CheckReport {
    let windows = Windows::new(program, spans, loops);
    let (violations, link_use) = match windows.missing(program.ticks) {
        Ok(found) => found,
        Err(obstacle) => return refused(program, obstacle),
    };
    let complete_at = violations.is_empty().then(|| first_complete(program, &windows));
    CheckReport {
        method: Method::Structure,
        complete_at,
        steps: complete_at,
        duplicates: None,
        traffic: None,
        link_use: Some(link_use),
        violations,
    }
}

/// The first tick after which nothing is missing. Knowledge only grows, so bisection finds it.
fn first_complete(program: &Program, windows: &Windows) -> u32 {
    let complete = |tick| windows.is_complete(tick);
    let (mut incomplete, mut known) = (0, program.ticks);
    // a schedule is hardly ever longer than it must be: try the last tick but one before bisecting
    let mut middle = known - 1;
    while incomplete + 1 < known {
        if complete(middle) {
            known = middle;
        } else {
            incomplete = middle;
        }
        middle = incomplete.midpoint(known);
    }
    known
}

fn refused(program: &Program, obstacle: Obstacle) -> CheckReport {
    let ports = program.topology.ports();
    let violation = Violation::NotCertifiable {
        node: program.topology.coords(NodeId((obstacle.register / ports) as u32)),
        port: port_text(obstacle.register % ports),
        why: obstacle.why,
    };
    CheckReport::refused(Method::Structure, vec![violation])
}

/// The unrolled spans of every output of every class, at `class * ports + port`.
struct OutputSpans(Vec<Vec<Span>>);

impl OutputSpans {
    fn new(program: &Program) -> Self {
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        Self(tracks.map(|track| track.spans(program.ticks).collect()).collect())
    }

    /// The spans of the register at a dense index.
    fn of(&self, program: &Program, register: usize) -> &[Span] {
        let ports = program.topology.ports();
        let class = program.class_of[register / ports].index();
        &self.0[class * ports + register % ports]
    }
}

/// The register that a register reads when its source is `port`.
fn upstream(program: &Program, register: usize, port: Port) -> usize {
    let node = NodeId((register / program.topology.ports()) as u32);
    program.topology.arriving(node, port).expect("a legal program reads links only")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{by_execution, by_structure};
    use crate::net::{ShapeName, Topology};
    use crate::paths::supply::Switching;
    use crate::program::{Demand, Link, ProgramBuilder, Run, Title};
    use crate::schemes::{SCHEMES, SchemeName};
    use crate::task::{Choice, Task};

    /// Every program of several classes that can be followed, by its name.
    fn programs() -> Vec<(String, Program)> {
        let tori = [&[4, 4][..], &[6, 8], &[6, 7], &[7, 6], &[8, 6], &[5, 7], &[7, 7], &[2, 6], &[3, 3, 4], &[3, 5, 3]];
        let tori = tori.map(|dims| Topology::new(ShapeName::Torus, dims).unwrap());
        let mut programs = Vec::new();
        for topology in tori.iter().chain([&Topology::new(ShapeName::Mesh, &[4, 5]).unwrap()]) {
            for (&scheme, switching) in SCHEMES.iter().flat_map(|scheme| Switching::ALL.map(|way| (scheme, way))) {
                let choice = Choice { switching, ..Choice::default() };
                let task = Task { topology, link: Link::default(), choice };
                let Ok(built) = SchemeName::from(scheme).build(&task, "any") else { continue };
                if beyond(&built.program).is_none() && built.program.classes.len() > 1 {
                    programs.push((format!("{scheme} {topology} {switching}"), built.program));
                }
            }
        }
        programs
    }

    #[test]
    fn shortcuts_agree_with_full_certification() {
        let (mut short, mut long) = (0, Vec::new());
        for (name, program) in programs() {
            let spans = OutputSpans::new(&program);
            if let Some(report) = certify_what_is_complete(&program, &spans) {
                assert_eq!(report, follow(&program, &spans), "{name}");
                short += 1;
            } else {
                long.push(name);
            }
        }
        // only tables that differ from node to node, and networks where the last arrivals of one cycle came earlier by another,
        // need the full search
        let left = [
            "zigzag 4x4 none",
            "zigzag 8x6 none",
            "zigzag 2x6 none",
            "zigzag 2x6 memory",
            "zigzag 2x6 periodic",
            "general 4x5 none",
            "general 4x5 memory",
            "general 4x5 periodic",
        ];
        assert_eq!(long, left, "and {short} are not");
    }

    /// At the ends of a path what came in goes out again: the two directions are one loop.
    #[test]
    fn a_path_that_is_run_to_and_fro_is_certified() {
        let path = Topology::new(ShapeName::Path, &[5]).unwrap();
        let [minus, plus] = [0, 1].map(Port::from_index);
        let mut builder = ProgramBuilder::new(&path, 4, Demand::gossip(&path, 1));
        for node in path.node_ids() {
            for port in path.linked_ports(node) {
                let other = if port == minus { plus } else { minus };
                let from = if path.step(node, other).is_some() { other } else { port };
                let track = builder.track(&[Run { source: Source::own(0), ticks: 1 }], Source::input(from, 1));
                builder.set(node, port, track);
            }
        }
        let program = builder.finish(Title::new("path", "by hand"));
        let report = by_structure(&program);
        assert_eq!(report.complete_at, Some(4), "{report:?}");
        assert_eq!(report.violations, by_execution(&program).violations);
    }

    /// Every other source that the last run of an output could have.
    #[test]
    fn shortcuts_pass_only_programs_that_full_certification_passes() {
        let (mut passed, mut tried) = (0, 0);
        for (name, program) in programs().into_iter().step_by(2) {
            let ports = program.topology.port_ids().map(Port::index);
            for (class, port) in ports.flat_map(|port| (0..program.classes.len()).map(move |class| (class, port))) {
                let runs = &program.classes[class].outputs[port].runs;
                let (last, Run { source: right, .. }) = (runs.len() - 1, runs[runs.len() - 1]);
                let inputs = program.topology.port_ids().flat_map(|port| [1, 2].map(|age| Source::input(port, age)));
                for wrong in inputs.chain([Source::Idle, Source::own(0)]).filter(|&source| source != right) {
                    let mut mutant = program.clone();
                    mutant.classes[class].outputs[port].runs[last].source = wrong;
                    let spans = OutputSpans::new(&mutant);
                    tried += 1;
                    if let Some(report) = certify_what_is_complete(&mutant, &spans) {
                        assert_eq!(report, follow(&mutant, &spans), "{name}, class {class}, port {port}: {wrong:?}");
                        passed += 1;
                    }
                }
            }
        }
        assert!(tried > 1000 && passed < tried, "{passed} of {tried} mutants pass");
    }
}
