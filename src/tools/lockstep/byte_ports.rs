//! Ports of an engine that bytes go through, and the C++ that drives them.

/// Ports of a module that the bytes of a line go through.
#[derive(Clone, Copy, Debug)]
pub enum BytePorts {
    /// Streams of bytes.
    Streams,
    /// Pins of a serial line, beside those of the clock and the reset.
    Pins {
        /// First part of the ports' names.
        prefix: &'static str,
        /// Clocks per bit.
        divisor: u32,
    },
}

impl BytePorts {
    /// Our C++ that drives the ports: paths and texts, the main one with a path of the builder's.
    pub(super) fn shim(self, main: &str) -> Vec<(String, String)> {
        let mut files = vec![("line.h".to_owned(), include_str!("../../../sim/line.h").to_owned())];
        let text = match self {
            Self::Streams => include_str!("../../../sim/serve.cpp"),
            Self::Pins { prefix, divisor } => {
                let join = if prefix.is_empty() { "" } else { "##" };
                let settings = format!("#define DIVISOR {divisor}u\n#define PIN(name) {prefix}{join}name\n");
                files.push(("settings.h".to_owned(), settings));
                include_str!("../../../sim/pins.cpp")
            }
        };
        files.push((main.to_owned(), text.to_owned()));
        files
    }
}
