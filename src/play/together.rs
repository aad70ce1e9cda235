//! Programs that are played at once, by the model: whether one of their links is wanted by two.

use super::Player;
use crate::program::Program;

/// Output that two programs want in one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The tick, counted from the first of all programs.
    pub tick: u32,
    /// Register of the output.
    pub register: usize,
}

/// First output that two programs of one network want in a tick: to begin to send, or to hold what it sends. Each begins after so many
/// ticks.
pub fn meeting(programs: &[(&Program, u32)]) -> Option<Meeting> {
    let last = programs.iter().map(|&(program, after)| after.saturating_add(program.ticks)).max()?;
    let registers = programs.first()?.0.registers();
    let mut players: Vec<Player<'_>> = programs.iter().map(|&(program, _)| Player::new(program)).collect();
    for tick in 1..=last {
        let mut playing = Vec::new();
        for (player, &(program, after)) in players.iter_mut().zip(programs) {
            if tick > after && tick - after <= program.ticks {
                player.step();
                playing.push(&*player);
            }
        }
        let is_wanted = |register: &usize| {
            let sending = playing.iter().filter(|player| player.sending(*register).is_some());
            let held = playing.iter().filter(|player| player.held(*register).is_some());
            sending.count() > 1 || held.count() > 1
        };
        if let Some(register) = (0..registers).find(|register| playing.len() > 1 && is_wanted(register)) {
            return Some(Meeting { tick, register });
        }
    }
    None
}
