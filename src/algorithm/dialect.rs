//! Limits of the readers of MSCCL's XML, and differences between them.

/// Most chunks of one step.
pub const MOST_COUNT: usize = 71;

/// Elements that a rank loads: the algorithm, all ranks, and its own thread blocks and steps.
pub const MOST_ELEMENTS: usize = 4096;

/// Children that a reader keeps of an element.
pub const MOST_CHILDREN: usize = 1024;

/// Most channels, `MAXCHANNELS`.
pub const MOST_CHANNELS: usize = 32;

/// Most thread blocks of a rank that send on a channel, and as many that receive, `MSCCL_MAX_NUM_THREAD_BLOCKS_PER_CHANNEL`.
pub const MOST_PEERS: usize = 32;

/// Reader of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Reader of Microsoft's MSCCL of 2023.
    Msccl,
    /// Reader of AMD's RCCL.
    Rccl,
}

/// Largest sizes of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SizeLimits {
    /// Sizes that the reader has room for.
    Reader,
    /// Sizes of any algorithm: it is not for a GPU.
    Lifted,
}

impl SizeLimits {
    /// Largest size, where the reader has room for `most`.
    pub fn of(self, most: usize) -> usize {
        if self == Self::Reader { most } else { 1 << 20 }
    }
}

/// Chunks and messages that a connection takes before anything is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConnectionRoom {
    /// Chunks of one message: a step of more sends several.
    pub chunks: usize,
    pub messages: usize,
}

impl ConnectionRoom {
    /// Room of a protocol for chunks of at most so many bytes, or of any number. A message of `Simple` takes four of the eight slots
    /// of a connection (`MSCCL_CHUNKSTEPS` of `NCCL_STEPS`), others take one; the bytes are those of RCCL's buffers.
    pub fn of(protocol: &str, chunk_bytes: Option<usize>, limits: SizeLimits) -> Self {
        if limits == SizeLimits::Lifted {
            return Self { chunks: usize::MAX, messages: usize::MAX };
        }
        let (bytes, messages) = match protocol {
            "LL" => (16_384, 8),
            "LL128" => (50_176, 8),
            _ => (2 << 20, 2),
        };
        let chunks = chunk_bytes.map_or(1, |chunk| bytes / chunk.max(1));
        Self { chunks: chunks.clamp(1, MOST_COUNT), messages }
    }
}

/// Name of a collective by any reader's spelling; others keep their own.
pub fn collective_of(spelling: &str) -> &str {
    match spelling {
        "allgather" => "gossip",
        "alltoall" => "exchange",
        "allreduce" => "all-reduce",
        "reducescatter" | "reduce_scatter" => "reduce-scatter",
        other => other,
    }
}

impl Dialect {
    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Msccl => "MSCCL",
            Self::Rccl => "RCCL",
        }
    }

    /// Most steps of a thread block, `MSCCL_MAX_NUM_STEPS`: RCCL has had 256, and now has 64.
    pub fn steps(self) -> usize {
        match self {
            Self::Msccl => 256,
            Self::Rccl => 64,
        }
    }

    /// Most thread blocks of a rank, `MSCCL_MAX_NUM_THREAD_BLOCKS`.
    pub fn blocks(self) -> usize {
        match self {
            Self::Msccl => 216,
            Self::Rccl => 1024,
        }
    }

    /// Collectives that the reader knows and whose result is defined.
    pub fn collectives(self) -> &'static [&'static str] {
        match self {
            Self::Msccl => &["allreduce", "reduce_scatter", "allgather", "broadcast", "alltoall"],
            Self::Rccl => &["allreduce", "reducescatter", "allgather", "broadcast", "gather", "scatter", "alltoall"],
        }
    }

    /// Spelling of a collective, if the reader has it.
    pub fn spelling(self, collective: &str) -> Option<&'static str> {
        let spelling = match collective {
            "gossip" => "allgather",
            "exchange" => "alltoall",
            "all-reduce" => "allreduce",
            "reduce-scatter" if self == Self::Rccl => "reducescatter",
            "reduce-scatter" => "reduce_scatter",
            other => other,
        };
        self.collectives().iter().copied().find(|&known| known == spelling)
    }
}
