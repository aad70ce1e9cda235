//! Ticks in which a router takes flits of its node's own, for `templates/rtl/router.v`.

use crate::emit::fabric::fields::{select_name, sends_name};
use crate::emit::fabric::{combine, slots};
use crate::emit::shared::names;
use crate::netlist::{LoadedValue, Output, Own, Router};

/// When a flit of the node's own is sent: while any of these is so.
pub struct Take {
    pub name: String,
    /// true if it leaves in the next tick
    pub ahead: bool,
    pub terms: Vec<TakeTime>,
}

/// A time at which an output sends a packet of the node's own.
#[derive(Clone, PartialEq, Eq)]
pub enum TakeTime {
    /// While the node's window is open.
    Window,
    /// While the output sends this.
    Chosen { sends: String, select: Option<Selection> },
}

/// A field that has a certain number.
#[derive(Clone, PartialEq, Eq)]
pub struct Selection {
    pub name: String,
    pub bits: u32,
    pub number: usize,
}

impl Take {
    /// When a router sends these packets. They are never fetched ahead: what is taken goes out at once.
    pub fn of(axes: usize, router: &Router, own: Own) -> Self {
        let mut terms: Vec<TakeTime> = Vec::new();
        for output in &router.outputs {
            let port = names::channel(axes, output.channel);
            let chosen = TakeTime::of(&port, output, own);
            let injected = (output.inject == Some(own)).then_some(TakeTime::Window);
            for term in injected.into_iter().chain(chosen) {
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
        let combines = router.outputs.iter().filter_map(|output| output.drive.combine.as_ref());
        let ahead = combines.into_iter().any(|combine| combine.ahead);
        Self { name: names::own(own), ahead, terms }
    }
}

impl TakeTime {
    /// When an output sends these packets; never if none.
    fn of(port: &str, output: &Output, own: Own) -> Option<Self> {
        let drive = &output.drive;
        let position = |values: &[LoadedValue]| values.iter().position(|&value| value == LoadedValue::Own(own));
        let combine = drive.combine.as_ref();
        if let Some(adders) =
            combine.filter(|combine| combine.takes.is_none()).and_then(|combine| combine.adders.as_ref())
        {
            let mut slots = adders.slots.iter().enumerate();
            let (index, slot, number) = slots.find_map(|(index, slot)| Some((index, slot, position(&slot.values)?)))?;
            let select =
                slot.select.map(|select| Selection { name: slots::pick_name(port, index), bits: select.bits, number });
            return Some(Self::Chosen { sends: slots::has_name(port, index), select });
        }
        let number = position(&drive.values)?;
        Some(Self::Chosen {
            sends: if combine.is_some() { combine::takes_name(port) } else { sends_name(port) },
            select: drive.select.map(|select| Selection { name: select_name(port), bits: select.bits, number }),
        })
    }
}
