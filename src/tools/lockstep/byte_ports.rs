//! Ports of a design that bytes go through, and the C++ that drives them.

/// Ports of a module that the bytes of a line go through.
#[derive(Clone, Copy, Debug)]
pub enum BytePorts {
    /// Streams of bytes, one for each board.
    Streams {
        /// Number of boards.
        lines: u32,
    },
    /// Pins of a serial line, beside those of the clock and the reset.
    Pins {
        /// First part of the ports' names.
        prefix: &'static str,
        /// Clocks per bit.
        divisor: u32,
        /// Number of boards.
        lines: u32,
    },
}

impl BytePorts {
    /// Number of boards, each with a line of its own.
    pub(super) fn lines(self) -> u32 {
        match self {
            Self::Streams { lines } | Self::Pins { lines, .. } => lines,
        }
    }

    /// Our C++ that drives the ports: paths and texts, the main one with a path of the builder's.
    pub(super) fn shim(self, main: &str) -> Vec<(String, String)> {
        let (text, settings) = match self {
            Self::Streams { .. } => (include_str!("../../../sim/serve.cpp"), String::new()),
            Self::Pins { prefix, divisor, .. } => {
                let join = if prefix.is_empty() { "" } else { "##" };
                let settings = format!("#define DIVISOR {divisor}u\n#define PIN(name) {prefix}{join}name\n");
                (include_str!("../../../sim/pins.cpp"), settings)
            }
        };
        let line = include_str!("../../../sim/line.h").to_owned();
        let settings = format!("#define LINES {}u\n{settings}", self.lines());
        let mut files = vec![("line.h".to_owned(), line), ("settings.h".to_owned(), settings)];
        files.push((main.to_owned(), text.to_owned()));
        files
    }
}
