//! Programs of a config: of one gossip, or of two where adders take ticks and partials are on their way longer than packets.

use super::config::Config;
use super::support::{Unsupported, building};
use super::{formed, refuse_too_large_to_reverse, too_long};

use crate::program::{Link, Number, Operation, Program};
use crate::schemes::{Built, Choosing, SCHEMES, SchemeName};
use crate::study::bounds::{self, Goal};
use crate::task::{Choice, Collective, CombinePlace, Scheme, Task};
use crate::transform::{Form, ReversedGossip};

/// No node has 2^8 ports: so many values meet in no more rows of adders.
const MOST_ROWS: u32 = 8;

/// Builds the program of a config; `auto` leaves some schemes out.
pub(super) fn built(
    config: &Config,
    task: &Task,
    flits: u32,
    without: &[&'static dyn Scheme],
) -> Result<Built, Unsupported> {
    let everywhere = task.choice.traffic.combined == CombinePlace::Everywhere;
    let gathered = |it: ReversedGossip| ReversedGossip { is_gathered: it.is_gathered && !everywhere, ..it };
    let reduction = ReversedGossip::of_config(config).map(gathered);
    let form = Form { reduction, flits, latency: config.link.latency.get() };
    if let Some(reduction) = reduction.filter(|reduction| reduction.adder > 0) {
        return Adding { config, task, form, reduction }.built(without);
    }
    let Built { scheme, program, reason } = config.scheme.build_without(task, &config.name(), form, without)?;
    if reduction.is_some() && program.reduction.is_none() {
        refuse_too_large_to_reverse(&program, flits)?;
    }
    Ok(Built { scheme, program: formed(program, form)?, reason })
}

impl ReversedGossip {
    /// The reduction that a config asks for.
    pub(super) fn of_config(config: &Config) -> Option<Self> {
        let of = |operation| Self {
            number: config.number,
            flush: config.flush,
            adder: config.adder_ticks(),
            ..Self::of(config.collective(), operation)
        };
        config.operation.map(of)
    }

    /// The reduction of words that a collective is.
    pub(super) fn of(collective: Collective, operation: Operation) -> Self {
        let is_gathered = collective == Collective::AllReduce;
        Self { operation, number: Number::Word, flush: false, adder: 0, is_gathered }
    }
}

/// A reduction by adders that take ticks.
#[derive(Clone, Copy)]
struct Adding<'a> {
    config: &'a Config,
    task: &'a Task<'a>,
    form: Form,
    reduction: ReversedGossip,
}

impl Adding<'_> {
    fn built(self, without: &[&'static dyn Scheme]) -> Result<Built, Unsupported> {
        if let SchemeName::One(scheme) = self.config.scheme {
            return Ok(Built { scheme, program: self.by(scheme)?, reason: None });
        }
        let far = self.far(1);
        let least = |program: &Program| bounds::of(program).ticks;
        let is_independent = self.config.scheme == SchemeName::Independent;
        let choosing = Choosing { is_independent, without, form: self.form };
        if let Some((program, reason)) = choosing.choose_built(&far, |scheme| self.by(scheme), least)? {
            return Ok(Built { scheme: reason.scheme, program, reason: Some(reason) });
        }
        self.refuse(self.config.scheme, 1)?;
        // says why no scheme applies
        Ok(self.config.scheme.build_without(&far, &self.config.name(), self.form, without)?)
    }

    /// Ticks from when a partial is sent until it can be sent on, behind so many adders in a row.
    fn latency(&self, rows: u32) -> u32 {
        self.form.latency + self.reduction.adder * rows
    }

    /// The task of the gossip that is played backwards. Schemes count in steps, and in a step a whole packet passes.
    fn far(&self, rows: u32) -> Task<'_> {
        let link = Link { latency: self.latency(rows).div_ceil(self.form.flits), ..self.task.link };
        let most = self.task.topology.ports() as u32 - 1;
        let branches = Some((1 << rows) - 1).filter(|&branches| branches < most);
        let choice = Choice { branches, ..self.task.choice.clone() };
        Task { link, choice, ..self.task.clone() }
    }

    /// Builds the gossip that is gathered by, and the one that is played backwards: by the same scheme, but on links that are longer
    /// by the adders that its partials pass. Trees of fewer branches need fewer of them in a row, and may be deeper: the faster is taken.
    fn by(self, scheme: &'static dyn Scheme) -> Result<Program, Unsupported> {
        let mut best: Option<Program> = None;
        let mut refused = None;
        for rows in 1..=MOST_ROWS {
            if best.as_ref().is_some_and(|best| self.cannot_beat(best, rows)) {
                break;
            }
            match self.behind(scheme, rows) {
                Ok(Some(program)) => {
                    let fewer = program.adder_rows() < rows;
                    if best.as_ref().is_none_or(|best| program.ticks < best.ticks) {
                        best = Some(program);
                    }
                    // more branches than it uses make no difference
                    if fewer {
                        break;
                    }
                }
                Ok(None) => {}
                // fewer adders in a row ask for shorter packets
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        best.ok_or_else(|| refused.expect("no node has 2^8 ports"))
    }

    /// Returns true if no schedule behind so many adders in a row is faster than a program.
    fn cannot_beat(&self, program: &Program, rows: u32) -> bool {
        let most = self.task.topology.ports() as u32 - 1;
        if rows > (most + 1).next_power_of_two().trailing_zeros() {
            return true;
        }
        let flits = u64::from(program.flits) * u64::from(program.demand.most_packets());
        let latency = self.latency(rows);
        let reduced = program.reduction.as_ref().map_or(program.ticks, |reduction| reduction.ticks);
        let goal = match self.config.collective() {
            Collective::Reduce => Goal::Reduce { root: self.task.root(), flits, latency },
            Collective::AllReduce if self.task.choice.traffic.combined == CombinePlace::Root => {
                Goal::Reduce { root: self.task.root(), flits, latency }
            }
            _ => Goal::ReduceScatter { flits, latency },
        };
        bounds::lower_bound(self.task.topology, Link::default(), goal).ticks >= u64::from(reduced)
    }

    /// The program behind so many adders in a row; none if it needs more of them.
    fn behind(&self, scheme: &'static dyn Scheme, rows: u32) -> Result<Option<Program>, Unsupported> {
        let Self { config, task, form, reduction } = *self;
        let (pick, name) = (SchemeName::One(scheme), config.name());
        self.refuse(pick, rows)?;
        let Built { program, .. } = pick.build(&self.far(rows), &name)?;
        refuse_too_large_to_reverse(&program, form.flits)?;
        let reduce = reduction.reversed(&program);
        if reduce.adder_rows() > rows {
            return Ok(None);
        }
        let gather = pick.build(task, &name)?.program;
        let steps = reduce.ticks.saturating_add(gather.ticks);
        form.of_parts(reduce, gather).ok_or_else(|| too_long(steps, form.flits)).map(Some)
    }

    /// Fails if no scheme that was asked for waits so long.
    fn refuse(&self, pick: SchemeName, rows: u32) -> Result<(), Unsupported> {
        let far = self.far(rows);
        if pick.fits(&far).is_ok() || pick.fits(self.task).is_err() {
            return Ok(());
        }
        let (latency, flits) = (self.latency(rows), self.form.flits);
        let problem = format!(
            "{pick} requires packets of at least {latency} flits, the ticks that a partial is on its way with an adder of {} \
             ticks (link.flits is {flits})",
            self.reduction.adder
        );
        let waiting = SCHEMES.iter().filter(|scheme| scheme.fits(&far).is_ok());
        let waiting: Vec<String> = waiting.map(|scheme| format!("; `scheme: {scheme}` applies as it is")).collect();
        Err(building::ADDER
            .refusal_with(problem, format!("with `link.flits: {latency}` it applies{}", waiting.concat())))
    }
}
