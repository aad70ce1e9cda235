//! Properties that the classes of a program share, as far as their routers depend on them.

/// The program's share in a router.
#[derive(Clone, Copy)]
pub(super) struct RouterShare {
    pub lanes: u8,
    pub ticks: u32,
    pub flits: u32,
    /// Ticks that links take.
    pub latency: u32,
    /// Own packets stay the same and can be fetched ahead.
    pub own_ahead: bool,
    /// Outputs are set back before the first tick, so that what goes out in it can be joined to what arrives: nothing.
    pub clears: bool,
}
