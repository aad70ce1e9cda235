//! Modules between the frames of a board and its ports, by the form of those, for `templates/elastic/`.

use crate::emit::boards::wires::INTERVALS;
use crate::netlist::PortForm;

/// Modules behind the frames of a board, and the names of the frames where these enter and leave it.
pub struct PortEnds {
    pub form: PortForm,
    /// beginning of the names of signals of frames that come in, and of those that go out
    pub arriving: &'static str,
    pub leaving: &'static str,
    /// name of the clock of a cable
    pub aclk: &'static str,
    pub throttle: String,
    pub wire_out: String,
    pub wire_in: String,
    pub beats_out: String,
    pub beats_in: String,
    pub intervals: u32,
}

impl PortEnds {
    /// Ends of a board with ports of a form, whose modules begin with a name.
    pub fn new(name: &str, form: PortForm) -> Self {
        let module = |part: &str| format!("{name}_{part}");
        let is_stream = form.is_stream();
        Self {
            form,
            arriving: if is_stream { "s_axis" } else { "in" },
            leaving: if is_stream { "m_axis" } else { "out" },
            aclk: Self::clock(form),
            throttle: module("throttle"),
            wire_out: module("wire_out"),
            wire_in: module("wire_in"),
            beats_out: module("beats_out"),
            beats_in: module("beats_in"),
            intervals: INTERVALS,
        }
    }

    /// Name of the clock of a cable behind that of its port.
    pub fn clock(form: PortForm) -> &'static str {
        if form.is_stream() { "s_axis_aclk" } else { "aclk" }
    }
}
