//! A schedule as lines, one for each message or flit that an output sends.

use std::collections::HashMap;
use std::fmt;

use super::messages::{MessageName, MessageNotation};
use crate::net::{Channel, NodeId};
use crate::play::Player;
use crate::program::{Program, To};
use crate::task::Collective;

/// Lines of a program: `tick,node,port,message`, and `flit` where messages are not sent whole.
pub struct ScheduleCsv<'p> {
    program: &'p Program,
    notation: MessageNotation,
    /// by packet, counted node after node
    pieces: Vec<MessagePiece>,
    lengths: Vec<u32>,
    only: Option<NodeId>,
}

/// Place of a packet in the message that it is, or is a part of.
#[derive(Clone, Copy)]
struct MessagePiece {
    name: MessageName,
    /// number of the message
    message: u32,
    /// flits of the message before the packet
    before: u32,
}

/// Flit of a message that a register begins to send in a tick.
struct SentFlit {
    tick: u32,
    register: usize,
    piece: MessagePiece,
    flit: u32,
}

impl<'p> ScheduleCsv<'p> {
    /// Lines of the program of a collective; of one node, if only its lines are wanted.
    pub fn of(program: &'p Program, collective: Collective, only: Option<NodeId>) -> Self {
        let is_at_root = collective == Collective::AllReduce && program.combines_at_root();
        let notation = MessageNotation::of(if is_at_root { Collective::Broadcast } else { collective });
        let (mut pieces, mut lengths, mut known) = (Vec::new(), Vec::new(), HashMap::new());
        let Program { topology, demand, .. } = program;
        for node in topology.node_ids() {
            for packet in 0..demand.packets_of(node) {
                let message = demand.message(node, packet);
                let receiver = || match message.to {
                    To::All => node.0,
                    To::Node(_) | To::Offset(_) => demand.receiver(topology, node, packet).map_or(node.0, |to| to.0),
                };
                let (first, second) = match notation {
                    MessageNotation::Packet => (node.0, packet),
                    MessageNotation::Sender => (node.0, 0),
                    MessageNotation::Receiver => (receiver(), 0),
                    MessageNotation::Pair => (node.0, receiver()),
                };
                let next = lengths.len() as u32;
                let number = *known.entry((first, second)).or_insert(next);
                if number == next {
                    lengths.push(0);
                }
                let length = &mut lengths[number as usize];
                let name = MessageName { first, second };
                pieces.push(MessagePiece { name, message: number, before: *length });
                *length += message.flits;
            }
        }
        Self { program, notation, pieces, lengths, only }
    }

    /// Plays the program, and calls `each` for what every register sends, tick after tick.
    fn play(&self, mut each: impl FnMut(u32, usize, Option<SentFlit>) -> fmt::Result) -> fmt::Result {
        let Program { demand, ticks, .. } = self.program;
        let mut player = Player::new(self.program);
        for tick in 1..=*ticks {
            player.step();
            for register in 0..self.program.registers() {
                let sent = player.sending(register).map(|flit| {
                    let origin = demand.origin(flit);
                    let piece = self.pieces[demand.packet(origin.node, origin.packet) as usize];
                    SentFlit { tick, register, piece, flit: piece.before + origin.flit }
                });
                each(tick, register, sent)?;
            }
        }
        Ok(())
    }

    /// Returns true if every message that is sent is sent whole, its flits in consecutive ticks.
    fn is_whole(&self) -> bool {
        if self.lengths.iter().all(|&length| length == 1) {
            return true;
        }
        // by register, the message that is being sent, and its next flit
        let mut open: Vec<Option<(u32, u32)>> = vec![None; self.program.registers()];
        let is_open = |(message, next): (u32, u32)| next < self.lengths[message as usize];
        let whole = self.play(|_, register, sent| {
            let open = &mut open[register];
            let expected = open.filter(|&open| is_open(open));
            let begins = |sent: &SentFlit| (sent.piece.message, 0);
            let found = sent.as_ref().map(|sent| (sent.piece.message, sent.flit));
            let fits = expected.or(sent.as_ref().map(begins)) == found;
            *open = found.map(|(message, flit)| (message, flit + 1));
            if fits { Ok(()) } else { Err(fmt::Error) }
        });
        whole.is_ok() && !open.into_iter().flatten().any(is_open)
    }
}

impl fmt::Display for ScheduleCsv<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, axes) = (self.is_whole(), self.program.topology.axes());
        let several = self.program.packets() > 1;
        writeln!(f, "tick,node,port,message{}", if whole { "" } else { ",flit" })?;
        self.play(|_, _, sent| {
            let Some(SentFlit { tick, register, piece, flit }) = sent else { return Ok(()) };
            let (node, Channel { port, .. }) = self.program.owner(register);
            if self.only.is_some_and(|only| only != node) || whole && flit > 0 {
                return Ok(());
            }
            let message = self.notation.shown(piece.name, several);
            write!(f, "{tick},{},{},{message}", node.0, port.label(axes))?;
            if whole { writeln!(f) } else { writeln!(f, ",{flit}") }
        })
    }
}
