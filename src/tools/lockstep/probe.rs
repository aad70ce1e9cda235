//! A register inside the fabric, by its name there.

/// One output register of one router.
pub(super) struct Probe {
    /// The router's instance.
    pub scope: String,
    /// The Verilog output that says whether it is valid.
    pub valid: String,
    /// The one that holds its word.
    pub data: String,
    /// Bytes of a word, as Verilator stores it.
    pub bytes: usize,
}
