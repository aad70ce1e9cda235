//! Programs of a config: of one gossip, or of two where adders take ticks and partials are on their way longer than packets.

use super::config::Config;
use super::support::{Unsupported, building};
use super::{formed, refuse_too_large_to_reverse, too_long};
use crate::program::Link;
use crate::schemes::optimal::Optimal;
use crate::schemes::{Built, Pick};
use crate::task::Task;
use crate::transform::{Form, Reduction};

/// No node has 2^8 ports: so many values meet in no more rows of adders.
const MOST_ROWS: u32 = 8;

/// Builds the program of a config.
pub(super) fn built(config: &Config, task: &Task, flits: u32) -> Result<Built, Unsupported> {
    let reduction = config.operation.map(|operation| Reduction {
        number: config.number,
        flush: config.flush,
        adder: config.adder_ticks(),
        ..Reduction::of(config.collective, operation)
    });
    let form = Form { reduction, flits, latency: config.link.latency.get() };
    if let Some(reduction) = reduction.filter(|reduction| reduction.adder > 0) {
        return added(config, task, form, reduction);
    }
    let Built { scheme, program, reason } = config.scheme.build(task, &config.name())?;
    if reduction.is_some() {
        refuse_too_large_to_reverse(&program, flits)?;
    }
    Ok(Built { scheme, program: formed(program, form)?, reason })
}

/// Builds the gossip that is gathered by, and the one that is played backwards: by the same scheme, but on links that are longer by
/// the adders that its partials pass. How many these are in a row is known once it is built.
fn added(config: &Config, task: &Task, form: Form, reduction: Reduction) -> Result<Built, Unsupported> {
    let Form { flits, latency: links, .. } = form;
    for rows in 1..=MOST_ROWS {
        let latency = links + reduction.adder * rows;
        // schemes count in steps, and in a step a whole packet passes
        let link = Link { latency: latency.div_ceil(flits), ..task.link };
        let far = Task { link, ..task.clone() };
        refuse(config, task, &far, latency, flits)?;
        let Built { scheme, program, reason } = config.scheme.build(&far, &config.name())?;
        refuse_too_large_to_reverse(&program, flits)?;
        let reduce = reduction.reversed(&program);
        if reduce.adder_rows() > rows {
            continue;
        }
        let gather = if link == task.link { program } else { Pick::One(scheme).build(task, &config.name())?.program };
        let steps = reduce.ticks.saturating_add(gather.ticks);
        let program = form.of_parts(reduce, gather).ok_or_else(|| too_long(steps, flits))?;
        return Ok(Built { scheme, program, reason });
    }
    unreachable!("no node has 2^{MOST_ROWS} ports")
}

/// Fails if no scheme that was asked for waits so long.
fn refuse(config: &Config, task: &Task, far: &Task, latency: u32, flits: u32) -> Result<(), Unsupported> {
    let optimal = Pick::One(&Optimal);
    let pick = config.scheme;
    if pick != optimal && pick.fits(far).is_err() && pick.fits(task).is_ok() {
        let problem = format!(
            "{pick} requires packets of at least {latency} flits, the ticks that a partial is on its way with an adder of {} \
             ticks (link.flits is {flits})",
            config.adder_ticks()
        );
        let or = if optimal.fits(far).is_ok() { "; `scheme: optimal` applies as it is" } else { "" };
        return Err(building::ADDER.refusal_with(problem, format!("with `link.flits: {latency}` it applies{or}")));
    }
    Ok(())
}
