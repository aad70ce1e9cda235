//! `--device`: the time that a design is expected to take on an FPGA, beside that of the schemes `auto` compared.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::design::support::{Unsupported, building};
use crate::design::{Design, support};
use crate::netlist::{Netlist, Rom};
use crate::program::{Program, count};
use crate::schemes::{Built, SchemeCandidate, SchemeName};
use crate::study::bounds;
use crate::study::clock::{ExpectedClock, ModelDevice};
use crate::task::Scheme;

/// Expected times of a design, if a device is named.
#[derive(Debug, Default, Serialize)]
pub struct DeviceTimes {
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Time>,
    /// Expected times of the schemes that `auto` compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    compared: Vec<ComparedTime>,
}

/// Expected time of a program on a device.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Time {
    device: ModelDevice,
    /// Clock and times, unless the device has too few LUTs.
    #[serde(flatten)]
    clocked: Option<Clocked>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Clocked {
    mhz: f64,
    ns: f64,
    /// The bound at the clock of the wires.
    floor_ns: f64,
}

/// Expected time of a scheme that `auto` compared.
#[derive(Clone, Copy, Debug, Serialize)]
struct ComparedTime {
    #[serde(serialize_with = "shown")]
    scheme: &'static dyn Scheme,
    packets: u16,
    steps: u32,
    #[serde(flatten)]
    time: Time,
}

fn shown<S: Serializer>(scheme: &&'static dyn Scheme, serializer: S) -> Result<S::Ok, S::Error> {
    scheme.to_string().serialize(serializer)
}

impl Time {
    /// Expected time of a program whose netlist is at hand.
    fn new(device: ModelDevice, program: &Program, netlist: &Netlist) -> Self {
        let bound = bounds::of(program).ticks;
        let clocked = |clock: ExpectedClock| Clocked {
            mhz: clock.fabric,
            ns: clock.time(program.ticks.into()),
            floor_ns: clock.floor(bound),
        };
        Self { device, clocked: device.expected(program, netlist).map(clocked) }
    }

    /// Expected time of a scheme's program, with `width` bits per flit.
    pub fn of(device: ModelDevice, program: &Program, width: u32) -> Self {
        Self::new(device, program, &Netlist::of(program, Rom::Shared, width))
    }

    /// Nanoseconds, or that the fabric does not fit.
    pub fn short(&self) -> String {
        self.clocked.map_or("does not fit".into(), |Clocked { ns, .. }| format!("{ns:.1} ns"))
    }

    /// The floor in nanoseconds, if the fabric fits.
    pub fn floor(&self) -> Option<String> {
        self.clocked.map(|Clocked { floor_ns, .. }| format!("{floor_ns:.1} ns"))
    }
}

impl DeviceTimes {
    /// Expected times of a design, and of the schemes that `auto` compared for it.
    pub fn of(device: Option<ModelDevice>, design: &Design) -> Result<Self, Unsupported> {
        let Some(device) = device else { return Ok(Self::default()) };
        if let Some(problem) = support::unclocked(design) {
            return Err(building::CLOCK.refusal(problem));
        }
        let candidates = design.reason.iter().flat_map(|reason| &reason.compared);
        let timed = candidates.filter_map(|&SchemeCandidate { scheme, packets, steps, .. }| {
            let Built { program, .. } = SchemeName::from(scheme).build(&design.task(), "any").ok()?;
            Some(ComparedTime { scheme, packets, steps, time: Time::of(device, &program, design.config.width()) })
        });
        let time = Time::new(device, &design.program, &design.netlist());
        Ok(Self { time: Some(time), compared: timed.collect() })
    }

    /// Lines for people, with their labels.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines: Vec<_> = self.time.iter().map(|time| ("time", time.to_string())).collect();
        // one is the design itself
        if self.compared.len() > 1 {
            let each: Vec<String> = self.compared.iter().map(ComparedTime::to_string).collect();
            lines.push(("compared", each.join("; ")));
        }
        lines
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device.name();
        match self.clocked {
            Some(Clocked { mhz, ns, floor_ns }) => {
                write!(f, "{ns:.1} ns at {mhz:.0} MHz, as expected of {device}; floor {floor_ns:.1} ns")
            }
            None => write!(f, "does not fit {device}"),
        }
    }
}

impl fmt::Display for ComparedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} for {}", self.scheme, self.time.short(), count(self.packets.into(), "packet"))
    }
}
