//! Every scheme that applies to a network beside the others: how long it takes and what it costs.

mod column;
mod contender;
mod layout;
mod start_up;
mod survey;
mod table_2;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::check::{self, CheckReport};
use crate::net::Topology;
use crate::netlist::{Netlist, Rom, bits_for};
use crate::paths::supply::Switching;
use crate::program::{Class, Link, Program, Run, Track};
use crate::schemes::{Built, SCHEMES, SchemeName};
use crate::study::bounds::{self, Goal, cost};
use crate::study::clock::{ExpectedClock, ModelDevice};
use crate::study::figures::ClassFigures;
use crate::study::hardware::Hardware;
use crate::task::{Choice, Collective, CollectiveTraffic, Knob, Scheme, Task};

pub use column::{ComparisonColumn, Heading};
pub use layout::{TableLayout, render};
pub use survey::{MOST_SEARCHED, Survey, render as render_surveys};
pub use table_2::{TableEntry, entries as table_2_entries, render as render_table_2};

/// Conditions under which schemes are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// The start-up times of a packet, in units of the time that a node's whole data takes over a link.
    pub start_ups: Vec<f64>,
    /// Number of packets of one size every node has; none if it splits its data into as many as the scheme takes.
    pub packets: Option<u16>,
    /// Bits a packet, for the registers.
    pub width: u32,
    /// Capabilities of the links.
    pub link: Link,
    /// Device whose clock is expected, if one is named.
    pub device: Option<ModelDevice>,
}

impl Default for Terms {
    fn default() -> Self {
        Self { start_ups: vec![0.01, 0.1, 1.0], packets: None, width: 32, link: Link::default(), device: None }
    }
}

/// The schemes on one network.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Network of nodes and links.
    pub topology: Topology,
    /// Rows of the schemes that apply.
    pub rows: Vec<ComparisonRow>,
    /// Schemes that do not apply, with reasons.
    pub refused: Vec<Refusal>,
}

/// One scheme with one way of switching.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonRow {
    /// Scheme of this row.
    pub scheme: &'static dyn Scheme,
    /// Switching of its off-cycle nodes; `None` if it has no such nodes.
    pub switching: Option<Switching>,
    /// Packets per node contributes each time the program plays.
    pub packets: u16,
    /// Steps in all: of one play, times the plays that the packets take.
    pub steps: u64,
    /// The lower bound for as many packets.
    pub bound: u64,
    /// The time in the paper's cost model, one for each start-up time.
    pub times: Vec<f64>,
    /// The share of all links and steps that is used; unknown where nothing was counted.
    pub link_use: Option<f64>,
    /// Packets that arrived where they were known already, each time the program plays; unknown on large ones.
    pub duplicates: Option<u64>,
    /// Number of classes.
    pub classes: usize,
    /// Bits that tell one node what to do: which class it is, and the largest class's table.
    pub config_bits_node: u64,
    /// Bits that tell all nodes what to do: which class each is, and the table of every class once.
    pub config_bits: u64,
    /// Bits of the largest class's table.
    pub table_bits: u64,
    /// The largest age at which an input is read.
    pub depth: u32,
    /// Hardware cost of the RTL.
    pub hardware: Hardware,
    /// Expected clock, if a device is named and has room.
    pub clock: Option<ExpectedClock>,
}

/// Why a scheme is not in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Scheme of this row.
    pub scheme: &'static dyn Scheme,
    /// The way of switching, if the scheme applies with another.
    pub switching: Option<Switching>,
    /// Reason for the refusal.
    pub why: String,
}

/// The ways of switching that make a difference to a scheme; one without a name if none does.
pub fn variants(
    scheme: &dyn Scheme,
    collective: Collective,
    topology: &Topology,
    link: Link,
) -> Vec<Option<Switching>> {
    let task = task(collective, topology, link, None);
    let switches = scheme.fits(&task).is_ok() && scheme.knobs(&task).contains(&Knob::Switching);
    if switches { Switching::ALL.map(Some).to_vec() } else { vec![None] }
}

/// The task of a collective from or to the first node, messages of one flit, under one way of switching.
pub fn task(collective: Collective, topology: &Topology, link: Link, switching: Option<Switching>) -> Task<'_> {
    let traffic = Arc::new(CollectiveTraffic::of(collective, 1));
    Task { topology, link, choice: Choice { traffic, switching: switching.unwrap_or_default(), ..Choice::default() } }
}

impl Comparison {
    /// Builds and checks every scheme on a network.
    pub fn new(topology: &Topology, terms: &Terms) -> Self {
        let (mut rows, mut refused) = (Vec::new(), Vec::new());
        // schemes of other collectives are compared over message lengths, see `survey`
        let compared = |scheme: &&&'static dyn Scheme| {
            let is_made_for_it = !scheme.stands_in() || !topology.is_grid();
            scheme.links().allow(terms.link.duplex)
                && scheme.collectives().contains(&Collective::Gossip)
                && is_made_for_it
        };
        for &scheme in SCHEMES.iter().filter(compared) {
            for switching in variants(scheme, Collective::Gossip, topology, terms.link) {
                let mut task = task(Collective::Gossip, topology, terms.link, switching);
                task.choice.packets = terms.packets;
                match SchemeName::from(scheme).build(&task, "any") {
                    Ok(Built { program, .. }) => rows.push(ComparisonRow::new(scheme, switching, &program, terms)),
                    Err(error) => refused.push(Refusal { scheme, switching, why: error.to_string() }),
                }
            }
        }
        Self { topology: topology.clone(), rows, refused }
    }
}

impl ComparisonRow {
    fn new(scheme: &'static dyn Scheme, switching: Option<Switching>, program: &Program, terms: &Terms) -> Self {
        let CheckReport { link_use, duplicates, steps, .. } = check::by_either(program);
        let plays = terms.packets.map_or(1, |packets| packets.div_ceil(program.packets()));
        let steps = u64::from(steps.unwrap_or(program.ticks)) * u64::from(plays);
        let packets = terms.packets.unwrap_or(program.packets());
        let share = 1.0 / f64::from(packets);
        let tables = program.classes.iter().map(|class| table_bits(class, program));
        let class_bits = u64::from(bits_for(program.classes.len() as u64));
        let largest = tables.clone().max().unwrap_or(0);
        let hardware = Hardware::of(program, &Netlist::of(program, Rom::Shared, terms.width));
        let goal = Goal::Gossip { flits: packets.into() };
        Self {
            scheme,
            switching,
            packets: program.packets(),
            steps,
            bound: bounds::lower_bound(&program.topology, program.link(), goal).ticks,
            times: terms.start_ups.iter().map(|&r| cost::time(steps as f64, share, r)).collect(),
            link_use: link_use.map(|link| link.mean / f64::from(program.ticks) * share_of_links(program.link())),
            duplicates,
            classes: program.classes.len(),
            config_bits_node: class_bits + largest,
            config_bits: class_bits * u64::from(program.topology.nodes()) + tables.sum::<u64>(),
            table_bits: largest,
            depth: program.depth(),
            hardware,
            clock: terms.device.and_then(|device| device.clock(&program.topology, hardware.cells)),
        }
    }

    /// Steps in units of the lower bound.
    pub fn ratio(&self) -> f64 {
        self.steps as f64 / self.bound as f64
    }
}

/// Share of a link's capacity that one flit per directed link and tick uses.
fn share_of_links(link: Link) -> f64 {
    let ways = if link.duplex.is_full() { 1.0 } else { 2.0 };
    ways / f64::from(link.lanes)
}

/// Bits of a class's table, plain or run-length coded, whichever is shorter. A class that sends its own packets in the
/// first step and keeps to one source per output ever after needs none.
fn table_bits(class: &Class, program: &Program) -> u64 {
    if class.is_time_independent(program.ticks, program.flits) {
        return 0;
    }
    let figures = ClassFigures::of_class(class, round(class).unwrap_or(program.ticks), program.flits);
    figures.plain_bits().min(figures.run_length_bits())
}

/// The ticks of the table of a class whose outputs come round together: one round, and what comes before.
fn round(class: &Class) -> Option<u32> {
    let ticks = |runs: &[Run]| runs.iter().map(|run| run.ticks).sum::<u32>();
    let rounds = class.outputs.iter().filter_map(|track| {
        let from = track.repeat_from?;
        Some((ticks(&track.runs[..from]), ticks(&track.runs)))
    });
    let rounds: BTreeSet<(u32, u32)> = rounds.collect();
    let (start, end) = rounds.first().copied().filter(|_| rounds.len() == 1)?;
    let settled = |track: &Track| ticks(&track.runs[..track.runs.len() - 1]) <= start;
    class.outputs.iter().all(|track| track.repeat_from.is_some() || settled(track)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::schemes::{hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};

    fn comparison(dims: &[u32], terms: &Terms) -> Comparison {
        Comparison::new(&Torus::new(dims).unwrap(), terms)
    }

    fn row<'a>(comparison: &'a Comparison, scheme: &dyn Scheme, switching: Option<Switching>) -> &'a ComparisonRow {
        let mut rows = comparison.rows.iter();
        rows.find(|row| row.scheme == scheme && row.switching == switching).expect("the scheme applies")
    }

    #[test]
    fn ways_of_switching_are_told_apart_only_where_they_differ() {
        let of = |dims: &[u32], scheme: &dyn Scheme| {
            variants(scheme, Collective::Gossip, &Torus::new(dims).unwrap(), Link::default())
        };
        assert_eq!(of(&[6, 8], &Staircase), [None]);
        assert_eq!(of(&[6, 7], &Staircase), Switching::ALL.map(Some));
        assert_eq!(of(&[6, 7], &Hamiltonian), [None]);
        assert_eq!(of(&[6, 6, 6], &Zigzag), Switching::ALL.map(Some));
        assert_eq!(of(&[6, 7], &Optimal), [None]);
        assert_eq!(of(&[7, 7], &Staircase), [None]);
    }

    #[test]
    fn refusals_say_why() {
        let refused = comparison(&[6, 6, 6], &Terms::default()).refused;
        let which: Vec<_> = refused.iter().map(|refusal| (refusal.scheme.to_string(), refusal.switching)).collect();
        assert_eq!(which, [("staircase".into(), None), ("zigzag".into(), Some(Switching::Periodic))]);
        assert!(refused[1].why.contains("periodic switching loses packets"), "{}", refused[1].why);
    }

    #[test]
    fn schemes_of_k_packets_play_as_often_as_the_packets_take() {
        let terms = Terms { packets: Some(3), ..Terms::default() };
        let comparison = comparison(&[6, 8], &terms);
        let staircase = row(&comparison, &Staircase, None);
        assert_eq!((staircase.steps, staircase.bound), (2 * 24, 36));
        let optimal = row(&comparison, &Optimal, None);
        assert_eq!((optimal.steps, optimal.bound), (3 * 12, 36));
        assert!((optimal.times[2] - 36.0 * (1.0 / 3.0 + 1.0)).abs() < 1e-9);
        // all the way round, as the design does
        let hamiltonian = row(&comparison, &Hamiltonian, None);
        assert_eq!((hamiltonian.packets, hamiltonian.steps), (4, 47));
    }

    /// Section 5's formula for section 3 is the time of the Hamiltonian cycles.
    #[test]
    fn times_are_those_of_the_papers_cost_model() {
        let comparison = comparison(&[16, 16], &Terms::default());
        let hamiltonian = row(&comparison, &Hamiltonian, None);
        for (time, r) in hamiltonian.times.iter().zip([0.01, 0.1, 1.0]) {
            assert!((time - cost::t_opt(16, 2, r, cost::Fractions::Exact)).abs() < 1e-9);
        }
    }

    #[test]
    fn time_independent_classes_need_no_table() {
        let comparison = comparison(&[8, 6], &Terms::default());
        let zigzag = |switching| row(&comparison, &Zigzag, Some(switching));
        assert_eq!((zigzag(Switching::None).table_bits, zigzag(Switching::None).config_bits), (0, 48));
        assert!(zigzag(Switching::Memory).table_bits > 0);
        assert_eq!(row(&comparison, &Staircase, None).config_bits_node, 1);
    }

    /// A round of periodic switching is written down once, however often it comes.
    #[test]
    fn tables_of_rounds_do_not_grow_with_the_ticks() {
        let bits = |dims: &[u32]| {
            let comparison = comparison(dims, &Terms::default());
            row(&comparison, &Zigzag, Some(Switching::Periodic)).table_bits
        };
        assert_eq!(bits(&[16, 6]), bits(&[32, 6]));
    }
}
