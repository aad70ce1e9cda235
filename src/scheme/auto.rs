//! `scheme: auto`: the time-independent scheme with the fewest steps a packet, and why.

use std::fmt;

use super::{Choice, Scheme, SchemeError, Woven};
use crate::torus::Torus;

/// What `auto` took, and what it compared.
pub struct Chosen {
    /// What the scheme builds.
    pub woven: Woven,
    /// The scheme it took.
    pub scheme: Scheme,
    /// Every scheme that applies, with its steps and its packets a node, the chosen one among them.
    pub compared: Vec<(Scheme, u32, u16)>,
}

/// Builds every time-independent scheme that applies and takes the one with the fewest steps a packet: that is the time
/// it takes when a node's data is split evenly into its packets. Among equals the earlier in [`Scheme::CONCRETE`].
pub fn choose(torus: &Torus, choice: Choice, name: &str) -> Result<Chosen, SchemeError> {
    let mut best: Option<(Scheme, Woven)> = None;
    let mut compared = Vec::new();
    for scheme in Scheme::CONCRETE.into_iter().filter(|scheme| scheme.is_time_independent()) {
        let Ok(woven) = scheme.build(torus, choice, name) else { continue };
        compared.push((scheme, woven.program.ticks, woven.program.packets));
        // a / b < c / d, without fractions
        let time = |woven: &Woven, other: &Woven| u64::from(woven.program.ticks) * u64::from(other.program.packets);
        if best.as_ref().is_none_or(|(_, best)| time(&woven, best) < time(best, &woven)) {
            best = Some((scheme, woven));
        }
    }
    let (scheme, woven) = best.ok_or_else(|| SchemeError::NoScheme { dims: torus.dims().to_vec() })?;
    Ok(Chosen { woven, scheme, compared })
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has the fewest steps a packet:", self.scheme)?;
        for (index, (scheme, steps, packets)) in self.compared.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            let s = if *packets == 1 { "" } else { "s" };
            write!(f, "{separator} {scheme} {steps} steps for {packets} packet{s}")?;
        }
        Ok(())
    }
}
