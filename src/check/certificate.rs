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

use super::{LinkUse, Method, Report, Violation, port_text, translate};
use crate::net::{NodeId, Port};
use crate::program::{Class, Duplex, Program, Source, Span};
use loops::Loops;
use windows::Windows;

/// Why a program cannot be certified, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Obstacle {
    register: usize,
    why: &'static str,
}

/// Certifies a program without moving tokens.
pub(super) fn certify(program: &Program) -> Report {
    if let Some(why) = beyond(program) {
        return refused(program, Obstacle { register: 0, why });
    }
    if program.flits == 1 {
        return certify_packets(program);
    }
    // flits follow their packet: the program of whole packets decides, and every step lasts as many ticks as flits
    let Some(whole) = program.unstretched() else {
        return refused(program, Obstacle { register: 0, why: "runs and ages are not multiples of the flits" });
    };
    let report = certify_packets(&whole);
    let flits = program.flits;
    let LinkUse { sum, min, max, .. } = report.link_use;
    let sum = sum * u64::from(flits);
    Report {
        complete_at: report.complete_at.map(|tick| tick * flits),
        duplicates: report.duplicates.map(|packets| packets * u64::from(flits)),
        link_use: LinkUse {
            sum,
            min: min * flits,
            mean: sum as f64 / program.topology.links() as f64,
            max: max * flits,
        },
        ..report
    }
}

/// What a program has that is not followed by structure.
fn beyond(program: &Program) -> Option<&'static str> {
    let is_followed = |source| match source {
        Source::Own { packet, through } => packet == through,
        Source::Any { .. } => false,
        Source::Idle | Source::In { .. } => true,
    };
    if !program.demand.is_gossip() {
        Some("only gossip is certified by structure")
    } else if !program.windows.is_empty() || !program.classes.iter().flat_map(Class::sources).all(is_followed) {
        Some("packets in a row, windows and joined inputs are not certified by structure")
    } else if program.classes.len() > 1 && (program.lanes > 1 || program.duplex == Duplex::Half) {
        Some("lanes and half-duplex links are certified by structure only where all nodes are alike")
    } else {
        None
    }
}

fn certify_packets(program: &Program) -> Report {
    if program.classes.len() == 1 {
        return translate::certify(program);
    }
    let spans = Spans::new(program);
    if let Some(report) = rings::certify(program, &spans).or_else(|| supplied::certify(program, &spans)) {
        return report;
    }
    match Loops::find(program, &spans) {
        Ok(loops) => certify_windows(program, &spans, &loops),
        Err(obstacle) => refused(program, obstacle),
    }
}

fn certify_windows(program: &Program, spans: &Spans, loops: &Loops) -> Report {
    let windows = Windows::new(program, spans, loops);
    let (violations, link_use) = match windows.missing(program.ticks) {
        Ok(found) => found,
        Err(obstacle) => return refused(program, obstacle),
    };
    let complete_at = violations.is_empty().then(|| first_complete(program, &windows));
    Report {
        method: Method::Structure,
        complete_at,
        steps: complete_at,
        duplicates: None,
        traffic: None,
        link_use,
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

fn refused(program: &Program, obstacle: Obstacle) -> Report {
    let ports = program.topology.ports();
    let violation = Violation::NotCertifiable {
        node: program.topology.coords(NodeId((obstacle.register / ports) as u32)),
        port: port_text(obstacle.register % ports),
        why: obstacle.why,
    };
    Report::refused(vec![violation])
}

/// The unrolled spans of every output of every class, at `class * ports + port`.
struct Spans(Vec<Vec<Span>>);

impl Spans {
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
