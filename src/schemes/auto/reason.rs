//! Reason why `auto` took a scheme: what was compared, and how it is said.

use std::fmt;

use crate::program::{Program, count};
use crate::task::{Collective, Scheme};

/// Reason for the choice of `auto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The scheme it took.
    pub scheme: &'static dyn Scheme,
    /// Collective to achieve.
    pub collective: Collective,
    /// Number of packets per node, if the config sets it.
    pub wanted: Option<u16>,
    /// Words of a node's vector, if an all-reduce counts them.
    pub words: Option<u32>,
    /// Every scheme that was compared, the one taken among them. Schemes that cannot be faster are left out.
    pub compared: Vec<SchemeCandidate>,
    /// Schemes that were chosen from.
    pub among: Among,
}

/// Schemes that a choice is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Among {
    /// True if only time-independent schemes are.
    pub is_independent: bool,
    /// True if the rest of the design does not support some scheme.
    pub is_restricted: bool,
}

impl fmt::Display for Among {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.is_restricted, self.is_independent) {
            (false, false) => "scheme",
            (false, true) => "time-independent scheme",
            (true, false) => "supported scheme",
            (true, true) => "supported time-independent scheme",
        })
    }
}

/// A scheme that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemeCandidate {
    /// Scheme that is compared.
    pub scheme: &'static dyn Scheme,
    /// The packets a node contributes each time it is played.
    pub packets: u16,
    /// Number of steps.
    pub steps: u32,
    /// Number of ticks that the design takes.
    pub ticks: u64,
    /// Cost of the hardware, if the program is at hand.
    pub hardware: Option<HardwareCost>,
}

/// Cost of the hardware of a program: the first field decides, then the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HardwareCost {
    /// Units that combine values and take ticks, in all outputs.
    pub adders: u64,
    /// Words of the tables of all classes.
    pub words: u64,
    /// Age of the oldest packet that is read.
    pub age: u32,
}

impl HardwareCost {
    /// Cost of a program.
    pub fn of(program: &Program) -> Self {
        let tracks = || program.classes.iter().flat_map(|class| &class.outputs);
        Self {
            adders: program.adders(),
            words: tracks().map(|track| track.runs.len() as u64).sum(),
            age: program.depth(),
        }
    }
}

impl SchemeCandidate {
    /// Returns true if this candidate is faster. With `wanted` packets per node, rounds are counted; otherwise the time
    /// per packet, as if a node's data were split evenly into packets.
    pub fn beats(&self, other: &Self, wanted: Option<u16>) -> bool {
        let ((own, a), (others, b)) = (self.time(wanted), other.time(wanted));
        let is_cheaper = || self.hardware.zip(other.hardware).is_some_and(|(own, other)| own < other);
        own * b < others * a || own * b == others * a && is_cheaper()
    }

    /// Time for so many packets per node, or per packet, as a fraction.
    pub fn time(&self, wanted: Option<u16>) -> (u64, u64) {
        match wanted {
            Some(wanted) => (self.ticks * u64::from(self.rounds(wanted)), 1),
            None => (self.ticks, self.packets.into()),
        }
    }

    fn rounds(&self, wanted: u16) -> u16 {
        wanted.div_ceil(self.packets)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_packets = self.collective.woven() == Collective::Gossip && self.words.is_none();
        match self.wanted {
            _ if self.compared.len() == 1 => {
                write!(f, "{}, and no other {} can be faster:", self.scheme, self.among)?;
            }
            Some(wanted) if has_packets => {
                let packets = count(wanted.into(), "packet");
                write!(f, "{} takes the fewest ticks for {packets} per node:", self.scheme)?;
            }
            None if has_packets => write!(f, "{} takes the fewest ticks per packet:", self.scheme)?,
            _ => match self.words {
                Some(words) => {
                    write!(f, "{} takes the fewest ticks for {}:", self.scheme, count(words.into(), "word"))?;
                }
                None => write!(f, "{} takes the fewest ticks:", self.scheme)?,
            },
        }
        for (index, candidate) in self.compared.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(f, "{separator} {} {}", candidate.scheme, candidate.ticks)?;
            if self.words.is_some() {
                write!(f, " {}", candidate.scheme.combines().shown())?;
            }
            if has_packets {
                write!(f, " for {}", count(candidate.packets.into(), "packet"))?;
            }
            let rounds = self.wanted.filter(|_| has_packets).map(|wanted| candidate.rounds(wanted));
            if let Some(rounds) = rounds.filter(|&rounds| rounds > 1) {
                write!(f, ", {rounds} times")?;
            }
        }
        Ok(())
    }
}
