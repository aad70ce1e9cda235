//! Ports of the nodes of a list: streams, or a stream in and a read port.

use super::sizes::WireSizes;

/// Signal of a node's streams or of its read port.
#[derive(Clone, Copy, Debug)]
pub struct StreamPort {
    /// Name behind that of the node.
    pub name: &'static str,
    /// True if the node reads it.
    pub is_input: bool,
    /// Bits of a vector.
    pub bits: Option<u32>,
}

impl StreamPort {
    /// Bits of the signal.
    pub fn width(&self) -> u32 {
        self.bits.unwrap_or(1)
    }

    /// Returns true for the first signal of what goes out.
    pub fn is_first_out(&self) -> bool {
        matches!(self.name, "m_axis_tdata" | "m_ram_full")
    }
}

impl WireSizes {
    /// Bits of a word that waits at a stream out: what it keeps, its nodes, the end, and the data.
    pub fn word_out(&self, width: u32) -> u32 {
        let keep = if self.lanes() > 1 { self.lanes() } else { 0 };
        let user = if self.has_blocks() { self.lanes() * self.code } else { 0 };
        keep + user + 1 + self.lanes() * width
    }

    /// Signals of a node's streams, in order.
    pub fn stream_ports(&self, width: u32) -> Vec<StreamPort> {
        let input = |name, bits| StreamPort { name, is_input: true, bits };
        let output = |name, bits| StreamPort { name, is_input: false, bits };
        let (program, user, lanes) = (Some(self.program), Some(self.lanes() * self.code), self.lanes());
        let mut ports =
            vec![input("s_axis_tdata", Some(width)), input("s_axis_tvalid", None), output("s_axis_tready", None)];
        if self.has_blocks() {
            ports.push(input("s_axis_tlast", None));
        }
        ports.push(input("s_axis_tdest", program));
        if self.has_read_port() {
            ports.extend([
                output("m_ram_full", None),
                input("m_ram_free", None),
                input("m_ram_en", None),
                input("m_ram_addr", Some(self.ram())),
                output("m_ram_valid", None),
                output("m_ram_data", Some(width)),
            ]);
            ports.extend(self.has_blocks().then(|| output("m_ram_user", user)));
            ports.push(output("m_ram_dest", program));
            return ports;
        }
        ports.push(output("m_axis_tdata", Some(lanes * width)));
        ports.extend((lanes > 1).then(|| output("m_axis_tkeep", Some(lanes))));
        ports.extend([output("m_axis_tvalid", None), input("m_axis_tready", None), output("m_axis_tlast", None)]);
        ports.extend(self.has_blocks().then(|| output("m_axis_tuser", user)));
        ports.push(output("m_axis_tdest", program));
        ports
    }
}
