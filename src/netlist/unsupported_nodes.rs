//! Reasons for which there are no tables of a program's nodes.

/// Reason for which there are no tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoReading {
    /// An output takes some value or result more than once, or results in another order than that of their words.
    Repeated {
        /// Name of the collective.
        collective: &'static str,
    },
    /// A ring counts the words of a collective.
    Ring {
        /// Most words that can go in and out.
        words: u64,
        /// Most of them that are supported.
        most: u64,
    },
    /// Nodes need to know when each word arrives.
    RunTime,
    /// The flits of a packet do not follow one another.
    NotWhole,
    /// A node combines more packets, each in a unit of its own, than it has ports.
    Units {
        /// Packets of the root.
        packets: u32,
    },
    /// More inputs and steps than tables are made for.
    TooMany {
        /// Inputs of all nodes times steps.
        arrivals: u64,
        /// Most of them that are supported.
        most: u64,
    },
}
