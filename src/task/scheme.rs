//! The trait `Scheme`: everything the other rooms ask of one.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{Collective, CombinePlace, ConstructError, Knob, Task, Unmet};
use crate::net::{Network, NodeId};
use crate::paths::cover::Cover;
use crate::program::{Duplex, Link, Program, Title};
use crate::transform::with_silence;

/// A way to achieve a collective. It is one file, and one line in [`SCHEMES`](crate::schemes::SCHEMES).
///
/// ```
/// use torusweave::net::{ShapeName, Topology};
/// use torusweave::program::Link;
/// use torusweave::schemes::SCHEMES;
/// use torusweave::task::{Choice, Task};
///
/// let mesh = Topology::new(ShapeName::Mesh, &[4, 5])?;
/// let task = Task { topology: &mesh, link: Link::default(), choice: Choice::default() };
/// let fitting: Vec<_> = SCHEMES.iter().filter(|scheme| scheme.fits(&task).is_ok()).collect();
/// assert_eq!(fitting[0].to_string(), "hamiltonian");
/// assert_eq!(fitting[0].steps(&task), Some(10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Scheme: Sync {
    /// Describes the scheme in the words of its paper.
    fn about(&self) -> About;

    /// Collectives that the scheme achieves.
    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Gossip]
    }

    /// Nodes at which the scheme combines the values of an all-reduce: that of a broadcast is its root.
    fn combines(&self) -> CombinePlace {
        match self.collectives() {
            [Collective::Broadcast] => CombinePlace::Root,
            [Collective::AllReduce] => CombinePlace::Everywhere,
            _ => CombinePlace::Blocks,
        }
    }

    /// Checks that the scheme applies, given links it [can use](Scheme::links) and a collective it
    /// [achieves](Scheme::collectives). Must be cheap: refusals ask this for many sizes.
    fn applies(&self, task: &Task) -> Result<(), Unmet>;

    /// Returns true if the scheme supports this kind of network. Most schemes are proved on products of cycles or of
    /// paths.
    fn takes(&self, network: &Network) -> bool {
        network.is_grid()
    }

    /// Returns true if it stands in where no scheme is made for the network: comparisons leave it out elsewhere.
    fn stands_in(&self) -> bool {
        false
    }

    /// Links that the scheme can use.
    fn links(&self) -> SchemeLinks {
        SchemeLinks::Full
    }

    /// Checks that the scheme applies. Collectives and links are refused here and nowhere else.
    fn fits(&self, task: &Task) -> Result<(), Unmet> {
        let achieved = self.collectives();
        if !achieved.contains(&task.collective()) {
            let needs = match achieved {
                [Collective::Scatter, Collective::Gather] => "`collective: scatter` or `gather`",
                [Collective::AllReduce] => "`collective: all-reduce` and a `count`",
                [one, ..] => one.needed(),
                [] => "something that it achieves",
            };
            return Err(Unmet { needs });
        }
        if !task.choice.traffic.is_on(task.topology) {
            return Err(Unmet { needs: "a network that has the root" });
        }
        if !self.takes(task.topology) {
            return Err(Unmet { needs: "a torus, mesh, cycle or path" });
        }
        let Link { duplex, lanes, latency } = task.link;
        let needs = match (self.links(), duplex.is_full()) {
            (SchemeLinks::Full, false) => "full-duplex links",
            (SchemeLinks::Half, true) => "half-duplex links",
            (_, true) if lanes > 1 => "half-duplex links, if they have more than one lane",
            _ if lanes > MOST_LANES => "one lane or two",
            _ if latency > 1 && !self.awaits_arrivals(task) => {
                let is_of_packets = task.collective().is_of_packets();
                if is_of_packets {
                    "packets of as many flits as a link has ticks of latency"
                } else {
                    "links of one tick"
                }
            }
            _ => {
                self.applies(task)?;
                if duplex != Duplex::OneWay || self.never_turns(task) {
                    return Ok(());
                }
                "links that turn"
            }
        };
        Err(Unmet { needs })
    }

    /// Returns true if the scheme, where it applies, forwards nothing before [`Link::latency`] steps are over. All
    /// other schemes need whole packets to pass in a step.
    fn awaits_arrivals(&self, _task: &Task) -> bool {
        false
    }

    /// Returns true if every half-duplex link is used one way only, where it applies.
    fn never_turns(&self, _task: &Task) -> bool {
        false
    }

    /// Returns true if links that turn have to be silent before.
    fn needs_silence(&self, task: &Task) -> bool {
        task.link.duplex == Duplex::Pads && !self.never_turns(task)
    }

    /// The program on the links that it is asked for.
    fn woven(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let Woven { program, cover } = self.weave(task, title)?;
        let program = if self.needs_silence(task) {
            program
                .with_silence()
                .ok_or(Unmet { needs: "less than 2^31 steps, if links are silent before they turn" })?
        } else {
            program
        };
        Ok(Woven { program: Program { duplex: task.link.duplex, ..program }, cover })
    }

    /// Number of steps that takes, silent ones among them, where it applies and a formula says so.
    fn foreseen_steps(&self, task: &Task) -> Option<u32> {
        let steps = self.steps(task)?;
        if self.needs_silence(task) { with_silence(steps) } else { Some(steps) }
    }

    /// Number of packets a node contributes, where it applies.
    fn packets(&self, task: &Task) -> u16;

    /// Builds the program, for packets of one flit.
    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError>;

    /// The cycles its program runs along, where it applies and there are any. Walked along anew: of ten million nodes they
    /// take more room than the program, and only pictures and words need them.
    fn cover(&self, task: &Task) -> Option<Cover> {
        self.weave(task, Title::new("cover", self.about().name)).ok()?.cover
    }

    /// Number of steps that the paper promises where the scheme applies; `None` if it promises none. Has no default, so
    /// every new scheme must answer.
    fn claim(&self, task: &Task) -> Option<Claim>;

    /// Number of steps the program takes, where it applies and a formula says so without building anything.
    fn steps(&self, _task: &Task) -> Option<u32> {
        None
    }

    /// Further facts about the scheme where it applies, such as the paper's own count.
    fn remark(&self, _task: &Task) -> Option<String> {
        None
    }

    /// Why a node does what it does, in sentences without their full stops, where it applies.
    fn why(&self, _task: &Task, _node: NodeId) -> Vec<String> {
        Vec::new()
    }

    /// Protocol that determines message lengths at run time, if they need not be known.
    fn run_time(&self) -> Option<RunTime> {
        None
    }

    /// Settings that make a difference where the scheme applies.
    fn knobs(&self, _task: &Task) -> &'static [Knob] {
        &[]
    }

    /// Returns true if every node does the same in every tick after its own packets: no table of times. `auto` takes
    /// only such.
    fn is_time_independent(&self, _task: &Task) -> bool {
        false
    }
}

/// A protocol that finds out lengths while it runs: the machines are in [`protocol`](crate::protocol).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunTime {
    /// Taps down a path.
    ShoulderTap,
    /// Certificates up a tree, orders down, one word per node and tick.
    Certification,
    /// Certificates with all ports at once.
    CertificationAllPort,
}

/// No packet gets anywhere sooner with more lanes (Lau and Zhang, Corollary 3.6, on paths and cycles).
pub const MOST_LANES: u8 = 2;

/// Links that a scheme can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemeLinks {
    /// Full-duplex ones of one lane.
    Full,
    /// Half-duplex links only.
    Half,
    /// Links of both kinds.
    Both,
}

impl SchemeLinks {
    /// Returns true if these links are among them.
    pub fn allow(self, duplex: Duplex) -> bool {
        match self {
            Self::Full => duplex.is_full(),
            Self::Half => !duplex.is_full(),
            Self::Both => true,
        }
    }
}

/// Description of a scheme in the words of its paper.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct About {
    /// Name in a config.
    pub name: &'static str,
    /// Summary in one sentence, without its full stop.
    #[serde(skip)]
    pub summary: &'static str,
    /// The paper's section and theorem.
    pub theorem: &'static str,
    /// Networks to which the scheme applies.
    pub condition: &'static str,
    /// Number of packets a node contributes.
    pub packets: &'static str,
    /// Place among schemes of equal time, for `auto`: the smallest is taken. Smaller routers come first.
    #[serde(skip)]
    pub preference: u8,
}

/// A number of steps that a paper promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Section and theorem of the paper.
    pub theorem: &'static str,
    /// Number of steps.
    pub steps: u64,
}

/// Result of a construction.
#[derive(Clone, Debug)]
pub struct Woven {
    /// The program, for packets of one flit.
    pub program: Program,
    /// The cycles it runs along, if they are at hand; see [`Scheme::cover`].
    pub cover: Option<Cover>,
}

// A scheme is identified by its name, in comparisons, output and files.

impl PartialEq for dyn Scheme + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.about().name == other.about().name
    }
}

impl Eq for dyn Scheme + '_ {}

impl fmt::Debug for dyn Scheme + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about().name)
    }
}

impl fmt::Display for dyn Scheme + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.about().name)
    }
}

impl Serialize for dyn Scheme + '_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.about().name)
    }
}
