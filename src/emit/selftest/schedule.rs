//! Arrivals that the self-test expects at every port in every tick: for each bit of a flit's number, one bit per tick.

use crate::emit::selftest::BistSizes;
use crate::emit::selftest::partials::ExpectedPartials;
use crate::play::Machine;
use crate::program::{FlitId, Program};

/// Bits of a constant.
const PIECE: usize = 64;
/// Letters a line.
const COLUMNS: usize = 80;

/// Table of the expected arrivals: one bit per tick for each bit of a flit's number.
pub struct Schedule<'p> {
    program: &'p Program,
    sizes: BistSizes,
    streams: bool,
    /// by tick and register, of those whose arrival it is
    arrivals: Vec<Option<u64>>,
}

/// A part of a table.
pub struct TablePiece {
    pub bits: usize,
    pub digits: String,
    pub comma: &'static str,
}

impl<'p> Schedule<'p> {
    pub fn of(program: &'p Program, streams: bool, sizes: BistSizes, partials: Option<&ExpectedPartials>) -> Self {
        let mut schedule = Self { program, sizes, streams, arrivals: Vec::new() };
        if let Some(partials) = partials {
            let ticks = (1..=program.ticks).flat_map(|tick| (0..program.registers()).map(move |it| (tick, it)));
            schedule.arrivals = ticks.map(|(tick, register)| partials.arrival(tick, register)).collect();
            return schedule;
        }
        let mut machine = Machine::new(program);
        let mut arrivals = Vec::new();
        while !machine.is_done() {
            machine.step();
            for register in 0..program.registers() {
                let (node, input) = program.owner(register);
                arrivals.push(machine.arrival(node, input).map(|flit| schedule.number(flit.0.into())));
            }
        }
        schedule.arrivals = arrivals;
        schedule
    }

    /// Number of arrivals at all ports in all ticks.
    pub fn arrivals(&self) -> usize {
        self.arrivals.iter().flatten().count()
    }

    /// Number of ports at which anything arrives.
    pub fn receivers(&self) -> usize {
        let registers = self.program.registers();
        let arrives = |register: usize| self.arrivals[register..].iter().step_by(registers).any(Option::is_some);
        (0..registers).filter(|&register| arrives(register)).count()
    }

    /// Number that stands for a flit: its packet's number and its position, or its own number where packets differ in
    /// length.
    pub fn number(&self, flit: u64) -> u64 {
        if self.streams {
            return flit;
        }
        let origin = self.program.demand.origin(FlitId(flit as u32));
        let packet = self.program.demand.packet(origin.node, origin.packet);
        packet << self.sizes.flit | u64::from(origin.flit)
    }

    /// The table of a port: whether a flit arrives, then its number's bits from the highest on; the last ticks first.
    pub fn port(&self, register: usize) -> Vec<Vec<TablePiece>> {
        let depth = 1_usize << self.sizes.index;
        let registers = self.program.registers();
        let bits = self.sizes.id + 1;
        let mut table = ScheduleTable::new(bits, depth);
        for tick in 1..=self.program.ticks as usize {
            let arrival = self.arrivals[(tick - 1) * registers + register];
            // the bit above a number is its valid bit
            let word = arrival.map_or(0, |number| number | 1 << self.sizes.id);
            table.set(tick % depth, 0, bits, word);
        }
        table.lines()
    }
}

/// Words of a table, as one column of bits per bit of a word.
pub struct ScheduleTable {
    columns: Vec<Vec<bool>>,
}

impl ScheduleTable {
    /// A table of zeros.
    pub fn new(bits: u32, depth: usize) -> Self {
        Self { columns: vec![vec![false; depth]; bits as usize] }
    }

    /// Sets some bits of a word, from a lowest one on.
    pub fn set(&mut self, place: usize, low: u32, bits: u32, value: u64) {
        for (bit, column) in self.columns[low as usize..][..bits as usize].iter_mut().enumerate() {
            column[place] = value >> bit & 1 == 1;
        }
    }

    /// The columns as constants, from the highest bit on; the last words first.
    pub fn lines(&self) -> Vec<Vec<TablePiece>> {
        let mut lines: Vec<Vec<TablePiece>> = vec![Vec::new()];
        let mut letters = 0;
        for (bit, column) in self.columns.iter().enumerate().rev() {
            for (place, piece) in column.chunks(PIECE).enumerate().rev() {
                let value = piece.iter().rev().fold(0_u64, |value, &bit| value << 1 | u64::from(bit));
                let comma = if bit == 0 && place == 0 { "" } else { ", " };
                let piece = TablePiece { bits: piece.len(), digits: format!("{value:x}"), comma };
                let length = piece.digits.len() + 6;
                if letters + length > COLUMNS {
                    lines.push(Vec::new());
                    letters = 0;
                }
                letters += length;
                lines.last_mut().expect("there is one").push(piece);
            }
        }
        // no blank at the end of a line
        for piece in lines.iter_mut().filter_map(|line| line.last_mut()) {
            piece.comma = piece.comma.trim_end();
        }
        lines
    }
}
