//! Notation of messages in a schedule's file, one for the reader and the writer.

use std::fmt;

use crate::task::Collective;

/// Form in which the messages of a collective are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageNotation {
    /// Packet of a node: `5`, or `5.1` for its second.
    Packet,
    /// Node with one message, its sender or the root of a reduce: `5`.
    Sender,
    /// Receiver of a message of the root: `5`.
    Receiver,
    /// Sender and receiver: `5>7`.
    Pair,
}

/// Message by its two numbers: node and packet, sender and receiver, or one node alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageName {
    pub first: u32,
    pub second: u32,
}

impl MessageNotation {
    pub(super) fn of(collective: Collective) -> Self {
        match collective {
            Collective::Gossip | Collective::ReduceScatter | Collective::AllReduce => Self::Packet,
            Collective::Broadcast | Collective::Gather | Collective::Reduce => Self::Sender,
            Collective::Scatter => Self::Receiver,
            Collective::Exchange => Self::Pair,
        }
    }

    /// Describes the notation with an example, for errors.
    pub(super) const fn example(self) -> &'static str {
        match self {
            Self::Packet => "a node's number, and the number of its packet where it has several: `5`, `5.1`",
            Self::Sender => "the number of the node whose message it is: `5`",
            Self::Receiver => "the number of the node that gets the message: `5`",
            Self::Pair => "the numbers of sender and receiver: `5>7`",
        }
    }

    /// Reads a message; none if it is no number, or not as many as there must be.
    pub(super) fn parse(self, text: &str) -> Option<MessageName> {
        let of = |first: &str, second: &str| {
            Some(MessageName { first: digits(first.trim_end())?, second: digits(second.trim_start())? })
        };
        match self {
            Self::Packet => match text.split_once('.') {
                Some((node, packet)) => of(node, packet),
                None => of(text, "0"),
            },
            Self::Sender | Self::Receiver => of(text, "0"),
            Self::Pair => text.split_once('>').and_then(|(from, to)| of(from, to)),
        }
    }

    /// Name of a message for people; `several` if nodes have more packets than one.
    pub(super) fn shown(self, MessageName { first, second }: MessageName, several: bool) -> ShownMessage {
        let second = match self {
            Self::Packet => several.then_some(('.', second)),
            Self::Pair => Some(('>', second)),
            Self::Sender | Self::Receiver => None,
        };
        ShownMessage { first, second }
    }
}

/// Message as a file names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownMessage {
    first: u32,
    second: Option<(char, u32)>,
}

impl fmt::Display for ShownMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        self.second.map_or(Ok(()), |(between, second)| write!(f, "{between}{second}"))
    }
}

/// Number of digits alone: other readers of numbers take a sign before them.
pub(super) fn digits(text: &str) -> Option<u32> {
    if text.starts_with(|c: char| c.is_ascii_digit()) { text.parse().ok() } else { None }
}
