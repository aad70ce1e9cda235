//! `scheme: auto`: the time-independent scheme that takes the fewest steps, and why.

use std::fmt;

use super::{Choice, Scheme, SchemeError, Woven};
use crate::net::Torus;
use crate::program::count;

/// What `auto` took, and what it compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The scheme it took.
    pub scheme: Scheme,
    /// How many packets a node has to contribute, if the config says so.
    pub wanted: Option<u16>,
    /// Every scheme that applies, the one taken among them.
    pub compared: Vec<Candidate>,
}

/// A scheme that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The scheme.
    pub scheme: Scheme,
    /// The packets a node contributes each time it is played.
    pub packets: u16,
    /// Its steps.
    pub steps: u32,
}

impl Candidate {
    /// Steps as a fraction: until `wanted` packets a node have been played, some rounds one after the other, or else a
    /// packet, which is the time it takes when a node's data is split evenly into packets.
    fn time(self, wanted: Option<u16>) -> (u64, u64) {
        match wanted {
            Some(wanted) => (u64::from(self.steps) * u64::from(self.rounds(wanted)), 1),
            None => (u64::from(self.steps), u64::from(self.packets)),
        }
    }

    fn rounds(self, wanted: u16) -> u16 {
        wanted.div_ceil(self.packets)
    }
}

/// Builds every time-independent scheme that applies and takes the fastest; among equals the earlier in
/// [`Scheme::CONCRETE`].
pub(super) fn choose(torus: &Torus, choice: Choice, name: &str) -> Result<(Woven, Reason), SchemeError> {
    let mut best: Option<(Candidate, Woven)> = None;
    let mut compared = Vec::new();
    for scheme in Scheme::CONCRETE.into_iter().filter(|scheme| scheme.is_time_independent()) {
        let Ok(woven) = scheme.build(torus, choice, name) else { continue };
        let candidate = Candidate { scheme, packets: woven.program.packets(), steps: woven.program.ticks };
        compared.push(candidate);
        let faster = best.as_ref().is_none_or(|(best, _)| {
            let ((steps, a), (best_steps, b)) = (candidate.time(choice.packets), best.time(choice.packets));
            steps * b < best_steps * a
        });
        if faster {
            best = Some((candidate, woven));
        }
    }
    let (candidate, woven) = best.ok_or_else(|| SchemeError::NoScheme { dims: torus.dims().to_vec() })?;
    Ok((woven, Reason { scheme: candidate.scheme, wanted: choice.packets, compared }))
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wanted {
            None => write!(f, "{} takes the fewest steps a packet:", self.scheme)?,
            Some(wanted) => {
                let packets = count(wanted.into(), "packet");
                write!(f, "{} takes the fewest steps for {packets} a node:", self.scheme)?;
            }
        }
        for (index, candidate) in self.compared.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            let (steps, packets) = (candidate.steps, count(candidate.packets.into(), "packet"));
            write!(f, "{separator} {} {steps} for {packets}", candidate.scheme)?;
            if let Some(rounds) = self.wanted.map(|wanted| candidate.rounds(wanted)).filter(|&rounds| rounds > 1) {
                write!(f, ", {rounds} times")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(dims: &[u32], packets: Option<u16>) -> Reason {
        let choice = Choice { packets, ..Choice::default() };
        choose(&Torus::new(dims).unwrap(), choice, "any").unwrap().1
    }

    #[test]
    fn the_packets_a_node_decide() {
        assert_eq!(taken(&[7, 8], None).scheme, Scheme::Hamiltonian);
        assert_eq!(taken(&[7, 8], Some(2)).scheme, Scheme::Hamiltonian);
        // one packet a node would leave half of the Hamiltonian cycles' slots empty
        let one = taken(&[8, 12], Some(1));
        assert_eq!(one.scheme, Scheme::Zigzag);
        assert_eq!(taken(&[8, 12], Some(4)).scheme, Scheme::Staircase);
    }

    #[test]
    fn the_reason_names_what_was_compared() {
        let text = taken(&[8, 6], Some(3)).to_string();
        assert_eq!(
            text,
            "staircase takes the fewest steps for 3 packets a node: staircase 24 for 2 packets, 2 times; hamiltonian 24 \
             for 2 packets, 2 times; zigzag 20 for 1 packet, 3 times"
        );
    }
}
