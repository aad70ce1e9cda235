//! Independent legality and completeness of a program: never imports the constructions or the model.

mod certificate;
mod execute;
mod inbox;
mod legal;
mod playing;
mod receive;
mod reduce;
mod streams;
mod translate;
mod trees;
mod violation;

use serde::Serialize;

use crate::net::Port;
use crate::program::Program;

pub use violation::{PacketLabel, Violation};

/// Programs with more link-ticks than this are executed only if that is asked for: it takes seconds, and what is generated is
/// checked each time.
pub const EXECUTION_LIMIT: u64 = 100_000_000;
/// Limit on link-ticks beyond which no program is executed, because it would take many minutes.
pub const MOST_EXECUTED: u64 = 20_000_000_000;
/// More bytes than this a machine may not have: nothing that takes more is executed or followed.
pub const MOST_BYTES: u64 = 8 << 30;

/// Method by which a program was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Every token was moved, tick by tick.
    Execution,
    /// Streams: arrivals at each node were followed back to their origins; no token was moved.
    Streams,
    /// Streams, places and windows were followed; no token was moved.
    Structure,
}

impl Method {
    /// Description of the method in words.
    pub const fn how(self) -> &'static str {
        match self {
            Self::Execution => "every packet moved, tick by tick",
            Self::Streams => "all that arrives at every node followed back to where it comes from",
            Self::Structure => "streams, places and windows followed",
        }
    }
}

/// Number of flits the busiest, the average and the least busy directed link carries.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LinkUse {
    /// On all links together.
    pub sum: u64,
    /// On the least busy link.
    pub min: u32,
    /// Mean over all directed links.
    pub mean: f64,
    /// On the busiest link.
    pub max: u32,
}

/// Counts the flits of one link after another.
struct Tally {
    links: u64,
    sum: u64,
    min: u32,
    max: u32,
}

impl Tally {
    fn new() -> Self {
        Self { links: 0, sum: 0, min: u32::MAX, max: 0 }
    }

    fn of(flits: impl IntoIterator<Item = u32>) -> Self {
        let mut tally = Self::new();
        flits.into_iter().for_each(|flits| tally.add(flits));
        tally
    }

    fn add(&mut self, flits: u32) {
        self.links += 1;
        self.sum += u64::from(flits);
        self.min = self.min.min(flits);
        self.max = self.max.max(flits);
    }

    fn link_use(&self) -> LinkUse {
        let Self { links, sum, min, max } = *self;
        LinkUse { sum, min, mean: sum as f64 / links as f64, max }
    }
}

/// Traffic figures from an execution, besides completeness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrafficFigures {
    /// Flits that a node learned and does not want.
    pub overheard: u64,
    /// The largest age above 1 at which a flit was sent on; 0 if none ever waited.
    pub held: u32,
    /// The most flits that a node sent in a tick.
    pub sends: u32,
    /// The most flits that a node received in a tick.
    pub receives: u32,
    /// Largest number of direction changes of a half-duplex link.
    pub turns: u32,
}

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckReport {
    /// Method by which the program was checked.
    pub method: Method,
    /// The tick after which every node has what it wants, in gossip every packet.
    pub complete_at: Option<u32>,
    /// Completion time in the papers' steps of one packet.
    pub steps: Option<u32>,
    /// Flits that arrived at a node that knew them already; unknown to the structural certificate.
    pub duplicates: Option<u64>,
    /// Further traffic figures; unknown to the structural certificate.
    pub traffic: Option<TrafficFigures>,
    /// Spread of the load over the links; unknown where nothing was counted.
    pub link_use: Option<LinkUse>,
    /// Everything that is wrong.
    pub violations: Vec<Violation>,
}

impl CheckReport {
    /// Creates a report of violations without any figures.
    fn refused(method: Method, violations: Vec<Violation>) -> Self {
        Self { method, complete_at: None, steps: None, duplicates: None, traffic: None, link_use: None, violations }
    }

    /// Joins the reports of both parts of an all-reduce; the gather part begins after `before` ticks.
    fn and_then(self, before: u32, gathered: Self, flits: u32, link_use: LinkUse) -> Self {
        let complete_at = gathered.complete_at.map(|tick| before + tick);
        let both = |(before, after): (TrafficFigures, TrafficFigures)| TrafficFigures {
            held: before.held.max(after.held),
            sends: before.sends.max(after.sends),
            receives: before.receives.max(after.receives),
            ..after
        };
        Self {
            complete_at,
            steps: complete_at.map(|tick| tick.div_ceil(flits)),
            duplicates: self.duplicates.zip(gathered.duplicates).map(|(before, after)| before + after),
            traffic: self.traffic.zip(gathered.traffic).map(both),
            link_use: Some(link_use),
            violations: gathered.violations.into_iter().map(|it| it.at(|tick| before + tick)).collect(),
            ..self
        }
    }

    /// Returns true if nothing wrong was found, but not that nothing is: this way of checking does not apply.
    pub fn is_undecided(&self) -> bool {
        let stands_in_the_way = |violation: &Violation| matches!(violation, Violation::NotCertifiable { .. });
        !self.violations.is_empty() && self.violations.iter().all(stands_in_the_way)
    }

    /// Returns true if the program is legal and every node learns every packet.
    pub fn passed(&self) -> bool {
        self.violations.is_empty() && self.complete_at.is_some()
    }
}

/// Progress callback with the part of [`amount`] that is done; called from any thread.
pub type ProgressWatch<'a> = &'a (dyn Fn(u64) + Sync);

/// Checks by executing tokens.
pub fn by_execution(program: &Program) -> CheckReport {
    by(program, Method::Execution, &|_| {})
}

/// Checks by following what arrives at each node back to its origins: in all O(P^2), as execution, but in the memory of one
/// node.
pub fn by_streams(program: &Program) -> CheckReport {
    by(program, Method::Streams, &|_| {})
}

/// Checks by structure in O(dP), for tori too large to execute.
pub fn by_structure(program: &Program) -> CheckReport {
    by(program, Method::Structure, &|_| {})
}

/// Checks by execution, or otherwise where execution would take long.
pub fn by_either(program: &Program) -> CheckReport {
    by(program, method(program), &|_| {})
}

/// Chooses the method of [`by_either`]: execution up to [`EXECUTION_LIMIT`], above it structure, then streams, and
/// execution if neither applies.
pub fn method(program: &Program) -> Method {
    let fits = bytes(program) <= MOST_BYTES;
    if program.link_ticks() <= EXECUTION_LIMIT && fits {
        Method::Execution
    } else if certificate::beyond(program).is_none() {
        Method::Structure
    } else if streams::beyond(program).is_none() {
        Method::Streams
    } else if program.reduction.is_some() || program.link_ticks() <= MOST_EXECUTED && fits {
        Method::Execution
    } else {
        Method::Structure
    }
}

/// Amount of work for progress reports: ticks to execute, or nodes to follow. The structural check is too fast to
/// report.
pub fn amount(program: &Program, method: Method) -> Option<u64> {
    match method {
        Method::Execution => Some(program.ticks.into()),
        Method::Streams => Some(program.topology.nodes().into()),
        Method::Structure => None,
    }
}

/// Checks in one of the ways. The form comes first: a malformed program is not executed.
pub fn by(program: &Program, method: Method, watch: ProgressWatch<'_>) -> CheckReport {
    let violations = legal::violations(program);
    if !violations.is_empty() {
        return CheckReport::refused(Method::Structure, violations);
    }
    match method {
        Method::Execution => match &program.reduction {
            Some(reduction) => reduce::run(program, reduction, watch),
            None => execute::run(program, &[], watch).0,
        },
        Method::Streams => streams::follow(program, watch),
        Method::Structure => certificate::certify(program),
    }
}

/// Checks by executing tokens, and tells how much every node knew of what it is to know after some ticks, which are in order;
/// nothing if the program is not executed.
pub fn by_execution_seen(program: &Program, ticks: &[u32], watch: ProgressWatch<'_>) -> (CheckReport, Vec<Vec<u64>>) {
    let violations = legal::violations(program);
    if !violations.is_empty() || program.reduction.is_some() {
        return (by(program, Method::Execution, watch), Vec::new());
    }
    let (report, seen) = execute::run(program, ticks, watch);
    (report, seen.known)
}

/// Number of bytes executing a program takes: what every node knows, a bit per flit, and in four bytes each what arrived,
/// as long as something may still send it on.
pub fn bytes(program: &Program) -> u64 {
    let known = u64::from(program.topology.nodes()).saturating_mul(program.demand.flits()) / 8;
    let ticks = u64::from(program.memory()) + u64::from(program.reduce_latency());
    known.saturating_add(ticks.saturating_mul(4 * program.topology.links()))
}

/// A packet of gossip by its number, with its contributor's coordinates.
fn token(program: &Program, packet: u64) -> PacketLabel {
    let (node, packet) = program.demand.sender(packet);
    PacketLabel { node: program.topology.coords(node), packet }
}

fn port_text(index: usize) -> String {
    Port::from_index(index).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{NodeId, ShapeName, Topology, Torus};
    use crate::paths::supply::Switching;
    use crate::program::{ClassId, Link, Run, Source, Title};
    use crate::schemes::{SchemeName, hamiltonian::Hamiltonian, staircase};
    use crate::task::{Choice, Task};

    fn staircase(dims: &[u32]) -> Program {
        let title = Title::new("t", "staircase");
        staircase::program(&Torus::new(dims).unwrap(), Switching::None, title).unwrap()
    }

    #[test]
    fn both_ways_of_checking_agree() {
        for dims in [[2, 2], [4, 4], [2, 6], [6, 2], [6, 8], [10, 4]] {
            for flits in [1, 3] {
                let program = staircase(&dims).stretched(flits).unwrap();
                let (executed, certified) = (by_execution(&program), by_structure(&program));
                assert!(executed.passed(), "{dims:?} {executed:?}");
                assert!(certified.passed(), "{dims:?} {certified:?}");
                assert_eq!(executed.complete_at, certified.complete_at, "{dims:?}");
                assert_eq!(executed.link_use, certified.link_use, "{dims:?}");
            }
        }
    }

    /// Around a cycle two more packets come to every node in every tick.
    #[test]
    fn knowledge_is_counted_during_execution() {
        let cycle = Topology::new(ShapeName::Cycle, &[7]).unwrap();
        let task = Task { topology: &cycle, link: Link::default(), choice: Choice::default() };
        let program = SchemeName::from(&Hamiltonian).build(&task, "any").unwrap().program;
        let (report, known) = by_execution_seen(&program, &[0, 1, 3], &|_| {});
        assert_eq!((report.complete_at, known), (Some(3), [1, 3, 7].map(|packets| vec![packets; 7]).to_vec()));
    }

    /// Every other source that one output of the 4x4 program could have after its first tick.
    #[test]
    fn every_mutant_of_a_selector_is_caught_both_ways() {
        let program = staircase(&[4, 4]);
        let mut mutants = 0;
        for (class, port) in (0..program.classes.len()).flat_map(|class| (0..4).map(move |port| (class, port))) {
            let right = program.classes[class].outputs[port].runs[1].source;
            let inputs = program.topology.port_ids().map(|port| Source::input(port, 1));
            for wrong in inputs.chain([Source::Idle, Source::own(0)]).filter(|&source| source != right) {
                let mut mutant = program.clone();
                mutant.classes[class].outputs[port].runs[1].source = wrong;
                assert!(!by_execution(&mutant).passed(), "class {class} port {port}: {wrong:?}");
                assert!(!by_structure(&mutant).passed(), "class {class} port {port}: {wrong:?}");
                mutants += 1;
            }
        }
        assert_eq!(mutants, 2 * 4 * 5);
    }

    #[test]
    fn malformed_programs_are_reported_not_executed() {
        let spoil = |spoil: &dyn Fn(&mut Program)| {
            let mut program = staircase(&[4, 4]);
            spoil(&mut program);
            by_execution(&program).violations
        };
        let found = spoil(&|program| program.ticks += 1);
        assert_eq!(found.len(), 2 * 4, "{found:?}");
        let found = spoil(&|program| program.classes[0].outputs[2].runs[0].source = Source::own(2));
        assert_eq!(found, [Violation::Packet { class: 0, port: "x2-".into(), packet: 2 }]);
        let found = spoil(&|program| program.classes[1].outputs[0].runs.push(Run { source: Source::Idle, ticks: 0 }));
        assert_eq!(found, [Violation::EmptyRun { class: 1, port: "x1-".into() }]);
        let found = spoil(&|program| program.class_of.set(NodeId(3), ClassId(7)));
        assert_eq!(found, [Violation::ClassMap { node: 3 }]);
    }

    #[test]
    fn torn_packets_are_reported() {
        let mut program = staircase(&[4, 4]).stretched(4).unwrap();
        for class in &mut program.classes {
            class.outputs[0].runs[0].ticks -= 1;
            class.outputs[0].runs[1].ticks += 1;
        }
        let report = by_execution(&program);
        assert!(report.violations.iter().any(|violation| matches!(violation, Violation::Torn { .. })));
    }
}
