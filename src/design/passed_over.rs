//! Scheme that `auto` passed over, and what it would cost: the fastest without a table beside one that has a table, or the other
//! way round.

use super::Design;
use super::config::Config;
use crate::netlist::{Netlist, Rom};
use crate::program::Program;
use crate::schemes::{Reason, SchemeName};
use crate::study::hardware::Hardware;

/// Largest network whose other design is built to be compared.
const MOST_NODES: u32 = 1 << 10;

impl Design {
    /// Describes the scheme that was passed over, for example `zigzag 25 ticks for 1 packet, 0.4 times the LUTs`.
    pub fn passed_over(&self) -> Option<String> {
        let reason = self.reason.as_ref()?;
        if self.program.topology.nodes() > MOST_NODES {
            return None;
        }
        let config = if self.config.scheme == SchemeName::Independent {
            Config { scheme: SchemeName::Auto, ..self.config.clone() }
        } else {
            // a scheme that is named has its own number of packets
            Config { scheme: self.best_without_table(reason)?, packets: None, ..self.config.clone() }
        };
        let other = Self::new(config).ok()?;
        if other.scheme == self.scheme {
            return None;
        }
        let luts = |program: &Program| {
            let netlist = Netlist::of(program, Rom::Shared, self.config.width());
            Hardware::of(program, &netlist).cells.luts as f64
        };
        let times = luts(&other.program) / luts(&self.program).max(1.0);
        let packets = match other.program.packets() {
            _ if !self.config.collective().is_of_packets() || self.config.vector_words().is_some() => String::new(),
            packets => format!(" for {}", crate::program::count(packets.into(), "packet")),
        };
        Some(format!("{} {} ticks{packets}, {times:.1} times the LUTs", other.scheme, other.program.ticks))
    }

    /// The fastest time-independent scheme that was compared, if another one was taken.
    fn best_without_table(&self, reason: &Reason) -> Option<SchemeName> {
        let task = self.task();
        if self.scheme.is_time_independent(&task) {
            return None;
        }
        let others = reason.compared.iter().filter(|it| it.scheme.is_time_independent(&task));
        let best = others.min_by(|one, other| {
            let ((ticks, a), (others, b)) = (one.time(reason.wanted), other.time(reason.wanted));
            (ticks * b).cmp(&(others * a))
        })?;
        Some(best.scheme.into())
    }
}
