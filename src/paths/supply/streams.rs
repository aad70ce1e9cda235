//! Streams that supporters send, by tick, and their tracks.

use std::ops::Range;

use super::Switching;
use crate::net::gcd;
use crate::paths::weave::CyclePassage;
use crate::program::{ProgramBuilder, Run, Source, TrackId};

/// A stream as a supporter passes it on. Tau = t - 1 counts from 0, when it is the supporter's own packet.
///
/// A double node stands at the later of its two places: "-" leaves it as it arrives, without the extra tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupplyStream {
    /// "+": at tau the packet from tau places before.
    Forward,
    /// "-": at tau the packet from tau - late places after.
    Backward {
        /// Ticks it spends in a delay line.
        late: u32,
    },
}

impl SupplyStream {
    /// The place whose packet is passed on at tau, counted from the one the supporter stands at.
    pub fn offset(self, tau: u32) -> i64 {
        match self {
            Self::Forward => -i64::from(tau),
            Self::Backward { late } => i64::from(tau) - i64::from(late),
        }
    }
}

/// A stream for some ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupplyPhase {
    /// Stream that the supporter sends.
    pub stream: SupplyStream,
    /// For how long; [`EVER`] if it does not end.
    pub ticks: u32,
}

/// Phases of the two supporters of an off-cycle node from tau = 0 on; the list repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupplyPlan {
    /// The supporter at which the arc begins, A.
    pub lower: Vec<SupplyPhase>,
    /// The supporter at which it ends, B.
    pub upper: Vec<SupplyPhase>,
}

/// Longer than any program.
pub const EVER: u32 = u32::MAX;

const FORWARD: SupplyStream = SupplyStream::Forward;
const BACKWARD: SupplyStream = SupplyStream::Backward { late: 0 };

/// The rule for two supporters `distance` places apart on a cycle of `length` places.
pub fn plan(distance: u32, length: u32, switching: Switching) -> SupplyPlan {
    let phases =
        |list: &[(SupplyStream, u32)]| list.iter().map(|&(stream, ticks)| SupplyPhase { stream, ticks }).collect();
    let plan = |lower: &[_], upper: &[_]| SupplyPlan { lower: phases(lower), upper: phases(upper) };
    match switching {
        // neighbours on the cycle share no packet if each looks away from the other
        _ if distance <= 1 => plan(&[(FORWARD, EVER)], &[(BACKWARD, EVER)]),
        Switching::None => plan(&[(BACKWARD, EVER)], &[(FORWARD, EVER)]),
        // B first sends the packets between the two, then those that have passed it meanwhile, so none arrives twice
        Switching::Memory => {
            plan(&[(FORWARD, EVER)], &[(FORWARD, distance), (SupplyStream::Backward { late: distance - 1 }, EVER)])
        }
        Switching::Periodic if twice_h(distance, length) == 2 * distance => {
            let (lower, upper) = (distance + 1, distance - 1);
            plan(
                &[(FORWARD, lower), (BACKWARD, 2 * distance - lower)],
                &[(BACKWARD, 1), (FORWARD, upper), (BACKWARD, 2 * distance - upper - 1)],
            )
        }
        // h = D/2; where that is no integer the second of two runs is the shorter
        Switching::Periodic => {
            let (long, short) = (distance.div_ceil(2), distance / 2);
            plan(&[(FORWARD, long), (BACKWARD, short)], &[(BACKWARD, long), (FORWARD, short)])
        }
    }
}

/// The phases as they play while tau is below `ticks`, round after round: each stream with its taus.
pub fn unrolled(phases: &[SupplyPhase], ticks: u32) -> impl Iterator<Item = (Range<u32>, SupplyStream)> + '_ {
    let mut tau = 0u32;
    phases.iter().cycle().map_while(move |phase| {
        let taus = tau..ticks.min(tau.saturating_add(phase.ticks));
        tau = taus.end;
        (!taus.is_empty()).then_some((taus, phase.stream))
    })
}

/// 2h = gcd(2D, L): the periodic rule changes sign every h ticks.
pub fn twice_h(distance: u32, length: u32) -> u32 {
    gcd(2 * distance, length)
}

/// Returns true if the periodic rule delivers every packet: D/h is 1 or 2.
pub fn periodic_works(distance: u32, length: u32) -> bool {
    distance <= 1 || 2 * distance <= 2 * twice_h(distance, length)
}

/// The track of a supporter that passes on `phases`; `own` are the packets of its first and of its last place.
pub fn track(
    builder: &mut ProgramBuilder,
    phases: &[SupplyPhase],
    &CyclePassage { from, to, double, own, .. }: &CyclePassage,
) -> TrackId {
    let places = 1 + u32::from(double);
    let source = |stream| match stream {
        SupplyStream::Forward => Source::input(from, places),
        SupplyStream::Backward { late } => Source::input(to, late + 1),
    };
    let mut intro = Vec::with_capacity(places as usize);
    let mut rest = phases.to_vec();
    for tau in 0..places {
        let source = match rest[0].stream {
            _ if tau == 0 => Source::own(own[1].into()),
            SupplyStream::Forward => Source::own(own[0].into()),
            backward @ SupplyStream::Backward { .. } => source(backward),
        };
        intro.push(Run { source, ticks: 1 });
        turn_one_tick(&mut rest);
    }
    let rounds = rest.iter().map(|phase| Run { source: source(phase.stream), ticks: phase.ticks });
    let round: u64 = rest.iter().map(|phase| u64::from(phase.ticks)).sum();
    if u64::from(places) + round < u64::from(builder.ticks()) {
        let rounds: Vec<Run> = rounds.collect();
        builder.repeating_track(&intro, &rounds)
    } else {
        intro.extend(rounds);
        let last = intro[intro.len() - 1].source;
        builder.track(&intro, last)
    }
}

/// Moves the first tick of the phases to their end.
fn turn_one_tick(phases: &mut Vec<SupplyPhase>) {
    let stream = phases[0].stream;
    match phases.last_mut() {
        Some(last) if last.ticks == EVER => {}
        Some(last) if last.stream == stream => last.ticks += 1,
        _ => phases.push(SupplyPhase { stream, ticks: 1 }),
    }
    if phases[0].ticks != EVER {
        phases[0].ticks -= 1;
    }
    if phases[0].ticks == 0 {
        phases.remove(0);
    }
}
