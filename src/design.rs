//! A design: a validated config, and the program its scheme builds.

pub mod config;
pub mod support;

use std::cell::OnceCell;

use thiserror::Error;

use crate::design::config::{Config, ConfigError};
use crate::design::support::Unsupported;
use crate::emit::bist::{self, NoBist};
use crate::emit::{self, Options, elastic};
use crate::net::NodeId;
use crate::netlist::{Crossbar, Netlist, NoCrossbar, NoReading, Reading};
use crate::paths::cover::Cover;
use crate::program::{Link, Operation, Program};
use crate::protocol::{Kind, Protocol};
use crate::schemes::optimal::Optimal;
use crate::schemes::{Built, Pick, Reason, SchemeError};
use crate::study::bounds::{self, Bound};
use crate::study::figures::Figures;
use crate::task::{Claim, Collective, RunTime, Scheme, Task, Tree};
use crate::transform::{Form, Reduction, reverse};

/// Everything a command needs to know of a design.
#[derive(Clone, Debug)]
pub struct Design {
    /// The config it came from.
    pub config: Config,
    /// The scheme it was built by: the one that the config names, or that `auto` took.
    pub scheme: &'static dyn Scheme,
    /// What every node does.
    pub program: Program,
    /// Why `auto` took this scheme, if it did.
    pub reason: Option<Reason>,
    /// The cycles it runs along, once somebody has asked for them; see [`Design::cover`].
    pub cover: OnceCell<Option<Cover>>,
}

/// Why there is no design.
#[derive(Debug, Error)]
pub enum DesignError {
    /// The config is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Settings that are not supported together.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The scheme does not apply.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The nodes cannot have memories.
    #[error(transparent)]
    Local(#[from] NoReading),
    /// Its crossbar cannot be configured.
    #[error(transparent)]
    Crossbar(#[from] NoCrossbar),
    /// The scheme named in the config has another number of packets.
    #[error("packets: scheme {scheme} takes {has} a node, not {wanted}")]
    Packets {
        /// The scheme.
        scheme: &'static dyn Scheme,
        /// Its packets a node.
        has: u16,
        /// The packets asked for.
        wanted: u16,
    },
    /// More ticks than can be counted.
    #[error("link.flits: {steps} steps of {flits} ticks are more than 2^32 ticks")]
    TooLong {
        /// Steps of the program.
        steps: u32,
        /// Ticks a step.
        flits: u32,
    },
    /// No scheme here sends anything on so late.
    #[error(
        "link.latency: {pick} needs packets of as many flits as a link has ticks of latency; here they have {flits}, and it has \
         {latency}"
    )]
    Latency {
        /// The scheme.
        pick: Pick,
        /// Ticks a link.
        latency: u32,
        /// Flits a packet.
        flits: u32,
        /// Whether `optimal` does without.
        is_optimal: bool,
    },
    /// What links of latency 1 have only.
    #[error("link.latency: links of {latency} ticks have no {what}")]
    LongLinks {
        /// Ticks a link.
        latency: u32,
        /// What there is not.
        what: &'static str,
    },
    /// What there is not of a reduction.
    #[error("{what}: none is made for {collective} yet")]
    Reduction {
        /// The command or its flag.
        what: &'static str,
        /// The collective.
        collective: Collective,
    },
    /// A gossip that is too large to be played backwards.
    #[error("topology: {link_ticks} link-ticks are more than the {most} that can be reversed")]
    TooLargeToReverse {
        /// Links times ticks.
        link_ticks: u64,
        /// The most there can be.
        most: u64,
    },
    /// There is no self-test of it.
    #[error("bist: no self-test of {name}: {reason}")]
    NoBist {
        /// The design.
        name: String,
        /// Why.
        reason: NoBist,
    },
    /// There are no boards of it.
    #[error("link.elastic: no boards of {name}: {reason}")]
    NoBoards {
        /// The design.
        name: String,
        /// Why.
        reason: String,
    },
}

impl DesignError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Config(error) => error.help(),
            Self::Unsupported(error) => error.help().into(),
            Self::Scheme(error) => error.help(),
            Self::Local(error) => error.help(),
            Self::Crossbar(error) => error.help(),
            Self::Packets { .. } => {
                "leave `packets` out, or let `scheme: auto` take the fastest scheme for so many".into()
            }
            Self::Latency { latency, is_optimal, .. } => {
                let optimal = if *is_optimal { "; `scheme: optimal` applies as it is" } else { "" };
                format!("with `link.flits: {latency}` it applies{optimal}")
            }
            Self::LongLinks { .. } => "leave that out, or `link.latency`".into(),
            Self::Reduction { .. } => {
                "`check` proves it, `simulate` plays it, `generate` writes its Verilog and program.json".into()
            }
            Self::NoBist { reason, .. } => reason.help().into(),
            Self::NoBoards { .. } => {
                "leave `link.elastic` out, or choose full-duplex links and a scheme for gossip, broadcast, exchange, \
                 reduce-scatter or all-reduce"
                    .into()
            }
            Self::TooLargeToReverse { .. } => "choose a smaller network or fewer flits".into(),
            Self::TooLong { .. } => "choose fewer flits a packet or a smaller network".into(),
        }
    }
}

impl Design {
    /// Validates a config and builds its program.
    pub fn new(config: Config) -> Result<Self, DesignError> {
        let topology = config.validate()?;
        support::check(&config)?;
        let traffic = config.traffic(&topology)?;
        let task = Task { topology: &topology, link: config.capacity(), choice: config.choice(traffic) };
        refuse_other_packets(config.scheme, &task)?;
        refuse_latency(&config, &task)?;
        // messages that are no packets were woven as long as they are
        let flits = if config.collective.is_of_packets() { config.link.flits.get() } else { 1 };
        refuse_too_long(config.scheme, &task, flits)?;
        let Built { scheme, program, reason } = config.scheme.build(&task, &config.name())?;
        let reason = reason.map(|reason| reason.of(config.collective));
        let reduction = config.operation.map(|operation| Reduction::of(config.collective, operation));
        if reduction.is_some() {
            refuse_too_large_to_reverse(&program, flits)?;
        }
        let program = formed(program, Form { reduction, flits, latency: config.link.latency.get() })?;
        if let Some(local) = config.local() {
            Reading::fits(&program, local.host)?;
        }
        let design = Self { config, scheme, program, reason, cover: OnceCell::new() };
        if design.config.local().is_some() && design.protocol().is_some() {
            return Err(NoReading::RunTime.into());
        }
        if design.config.crossbar == Crossbar::Configurable {
            Crossbar::fits(&design.program, design.protocol().is_some())?;
        }
        if design.config.bist {
            design.refuse_bist()?;
        }
        if design.config.link.elastic {
            design.refuse_boards()?;
        }
        Ok(design)
    }

    /// Fails if there is no self-test of it.
    pub fn refuse_bist(&self) -> Result<(), DesignError> {
        let name = || self.program.title.name.clone();
        bist::fits(&self.program, self.protocol().is_some())
            .map_err(|reason| DesignError::NoBist { name: name(), reason })
    }

    /// Fails if there are no boards of it.
    pub fn refuse_boards(&self) -> Result<(), DesignError> {
        match elastic::refusal(&self.program, self.protocol().as_ref()) {
            Some(reason) => Err(DesignError::NoBoards { name: self.program.title.name.clone(), reason }),
            None => Ok(()),
        }
    }

    /// Fails if links are longer than a tick, for what there is of short ones only.
    pub fn refuse_long_links(&self, what: &'static str) -> Result<(), DesignError> {
        match self.program.latency {
            1 => Ok(()),
            latency => Err(DesignError::LongLinks { latency, what }),
        }
    }

    /// Fails if values are combined, for what there is of moved packets only.
    pub fn refuse_reductions(&self, what: &'static str) -> Result<(), DesignError> {
        let collective = self.config.collective;
        if collective.is_reduction() { Err(DesignError::Reduction { what, collective }) } else { Ok(()) }
    }

    /// The cycles that the program runs along, if there are any: for pictures and words, walked along when first asked for.
    pub fn cover(&self) -> Option<&Cover> {
        self.cover.get_or_init(|| self.scheme.cover(&self.task())).as_ref()
    }

    /// The lower bound in steps for the packets of this design.
    pub fn bound(&self) -> Bound {
        bounds::collective::of(&self.program)
    }

    /// What the scheme was asked for.
    pub fn task(&self) -> Task<'_> {
        let topology = &self.program.topology;
        let traffic = self.config.traffic(topology).expect("what is wrong with it had stopped the design");
        Task { topology, link: self.config.capacity(), choice: self.config.choice(traffic) }
    }

    /// The node that broadcasts, scatters or gathers, if one does.
    pub fn root(&self) -> Option<NodeId> {
        self.config.collective.has_root().then(|| self.task().root())
    }

    /// What the routers play if the lengths of messages are found out while they run.
    pub fn protocol(&self) -> Option<Protocol> {
        let (kind, default) = match self.scheme.run_time()? {
            RunTime::ShoulderTap => (Kind::ShoulderTap, Tree::Path),
            RunTime::Certification => (Kind::Certification, Tree::BreadthFirst),
            RunTime::CertificationAllPort => (Kind::CertificationAllPort, Tree::BreadthFirst),
        };
        let task = self.task();
        let tree = task.tree(&default).expect("the scheme applies");
        Some(Protocol { kind, tree, lengths: task.lengths() })
    }

    /// What the scheme's paper promises here. No paper lets links be silent before they turn, or longer than a tick.
    pub fn paper_claim(&self) -> Option<Claim> {
        let task = self.task();
        let is_beyond = self.program.latency > 1 || self.program.reduction.is_some();
        self.scheme.claim(&task).filter(|_| !self.scheme.needs_silence(&task) && !is_beyond)
    }

    /// Whether there is a silent step between any two, so that links can turn.
    pub fn is_silent_between_steps(&self) -> bool {
        self.scheme.needs_silence(&self.task())
    }

    /// The table of times that all nodes share, in schemes that need one.
    pub fn table(&self) -> Option<Figures> {
        let Program { classes, ticks, flits, .. } = &self.program;
        match classes.as_slice() {
            [class] if self.program.reduction.is_none() && !class.is_time_independent(*ticks, *flits) => {
                Some(Figures::of_class(class, *ticks, *flits))
            }
            _ => None,
        }
    }

    /// The registers that the program becomes.
    pub fn netlist(&self) -> Netlist {
        emit::netlist(&self.program, &self.options())
    }

    /// What the Verilog depends on besides the program.
    pub fn options(&self) -> Options {
        Options {
            width: self.config.link.width.get(),
            origin: format!("`{}`", self.command()),
            rom: self.config.rom,
            leaves: self.config.leaves.get(),
            crossbar: self.config.crossbar,
            protocol: self.protocol(),
            local: self.config.local(),
            bist: self.config.bist,
            elastic: self.config.link.elastic,
        }
    }

    /// The command that generates this design, whatever file or flags it was read from.
    pub fn command(&self) -> String {
        let Self { config, program, .. } = self;
        let plain = Config { name: None, ..config.clone() };
        let name = if config.name() == plain.name() { String::new() } else { format!(" --name {}", config.name()) };
        // the scheme that `auto` took has its own number of packets
        let resolved = Config { scheme: Pick::default(), packets: None, ..plain };
        let Config { topology, .. } = config;
        format!("torusweave generate {topology} --scheme {}{}{name}", program.title.scheme, resolved.flags())
    }
}

/// Fails if the scheme sends a flit on before a long link has brought it.
fn refuse_latency(config: &Config, task: &Task) -> Result<(), DesignError> {
    let (latency, flits) = (config.link.latency.get(), config.link.flits.get());
    if latency == 1 {
        return Ok(());
    }
    let short = Task { link: Link { latency: 1, ..task.link }, ..task.clone() };
    let optimal = Pick::One(&Optimal);
    if config.scheme != optimal && config.scheme.fits(task).is_err() && config.scheme.fits(&short).is_ok() {
        let is_optimal = optimal.fits(task).is_ok();
        return Err(DesignError::Latency { pick: config.scheme, latency, flits, is_optimal });
    }
    Ok(())
}

/// Brings a program of packets of one flit on short links into a form.
fn formed(program: Program, form: Form) -> Result<Program, DesignError> {
    let steps = form.steps(&program).unwrap_or(u32::MAX);
    form.of(program).ok_or(DesignError::TooLong { steps, flits: form.flits })
}

impl Reduction {
    fn of(collective: Collective, operation: Operation) -> Self {
        Self { operation, is_gathered: collective == Collective::AllReduce }
    }
}

/// A reversal takes four bytes a link and tick, with the lists of which partials begin where up to ten, and is checked by execution
/// only: so many link-ticks take one to three gigabytes and a minute or two. Where one node speaks for all, its links alone
/// count, and take more bytes each.
const MOST_REVERSED: u64 = 1 << 28;
const MOST_OF_ONE_NODE: u64 = 1 << 22;

fn refuse_too_large_to_reverse(gather: &Program, flits: u32) -> Result<(), DesignError> {
    let (link_ticks, most) = if reverse::is_alike(gather) {
        (gather.topology.ports() as u64 * u64::from(gather.ticks), MOST_OF_ONE_NODE)
    } else {
        (gather.link_ticks().saturating_mul(flits.into()), MOST_REVERSED)
    };
    if link_ticks > most { Err(DesignError::TooLargeToReverse { link_ticks, most }) } else { Ok(()) }
}

/// The reduction that a gossip of packets of one flit becomes.
pub fn reduction(gather: &Program, collective: Collective, operation: Operation) -> Result<Program, DesignError> {
    refuse_too_large_to_reverse(gather, 1)?;
    let reduction = Some(Reduction::of(collective, operation));
    formed(gather.clone(), Form { reduction, flits: 1, latency: 1 })
}

/// Where a formula says how long it takes, what is too long is refused before it is built.
fn refuse_too_long(pick: Pick, task: &Task, flits: u32) -> Result<(), DesignError> {
    match pick.steps(task) {
        Some(steps) if steps.checked_mul(flits).is_none() => Err(DesignError::TooLong { steps, flits }),
        _ => Ok(()),
    }
}

/// The scheme named in a config has the packets it has; only `auto` can go by the packets.
fn refuse_other_packets(pick: Pick, task: &Task) -> Result<(), DesignError> {
    match (pick, task.choice.packets) {
        (Pick::One(scheme), Some(wanted)) if scheme.fits(task).is_ok() && scheme.packets(task) != wanted => {
            Err(DesignError::Packets { scheme, has: scheme.packets(task), wanted })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
