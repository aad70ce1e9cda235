//! Assertions about the receiver of a checked link, proved by induction: what is lost, doubled or exchanged is a fault.

use askama::Template;

use crate::emit::boards::crossing::waiting;
use crate::emit::boards::layer::LinkLayer;
use crate::emit::boards::link::{self, CODES, CrcModule, FaultCodes, FrameKinds, KINDS, ReceiverModule};
use crate::emit::formal::crossing::{Fault, Induction, STEPS};
use crate::emit::formal::rendered;
use crate::netlist::{PortClock, PortForm};

/// Bits of a token that are proved: data is only moved.
const BITS: u32 = 4;

#[derive(Template)]
#[template(path = "formal/receiver.sv", escape = "none")]
struct ReceiverAssertions {
    module: String,
    receiver: String,
    crc: String,
    token: u32,
    sequence: u32,
    overhead: u32,
    check: u32,
    window: u64,
    identity: u32,
    kinds: FrameKinds,
    codes: FaultCodes,
    is_common: bool,
    is_serial: bool,
}

#[derive(Template)]
#[template(path = "formal/receiver.ys", escape = "none")]
struct ReceiverScript<'d> {
    module: &'d str,
    receiver: &'d str,
    crc: &'d str,
    steps: Option<u32>,
}

/// The question about the receiver of a link layer. With `clocks: cable` it is about what stands behind the buffer, which is the
/// same text.
pub fn question(layer: LinkLayer, fault: Option<Fault>) -> Induction {
    let layer = LinkLayer { form: PortForm { clocks: PortClock::Board, ..layer.form }, ..layer };
    let frame = layer.frame;
    let (receiver, crc) = (layer.module("receiver"), layer.module("crc"));
    let rtl = rendered(&ReceiverModule::new(&layer));
    let rtl = fault.map_or_else(|| rtl.clone(), |fault| fault(&rtl));
    let module = format!("{receiver}_proof");
    let steps = fault.is_some().then_some(STEPS);
    let assertions = ReceiverAssertions {
        module: module.clone(),
        receiver: receiver.clone(),
        crc: crc.clone(),
        token: BITS,
        sequence: frame.sequence,
        overhead: frame.overhead(),
        check: frame.check,
        window: waiting(layer.latency),
        identity: link::identity_bits(&layer),
        kinds: KINDS,
        codes: CODES,
        is_common: layer.common.is_some(),
        is_serial: layer.form.has_pins(),
    };
    Induction {
        claim: "every token is handed on once in its turn, or a fault is named",
        text: rendered(&assertions),
        script: rendered(&ReceiverScript { module: &module, receiver: &receiver, crc: &crc, steps }),
        rtl: vec![(receiver, rtl), (crc, rendered(&CrcModule::new(&layer)))],
        module,
        steps,
    }
}
