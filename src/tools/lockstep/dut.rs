//! The Verilated fabric in this process. The only unsafe code of the project: a shared object and pointers into it.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;

use libloading::Library;

use super::LockstepError;
use crate::play::Payloads;
use crate::program::FlitId;
use crate::program::Program;

/// A variable inside the simulator.
#[derive(Clone, Copy)]
pub(super) struct Signal(NonNull<u8>);

/// One output register of one router.
pub(super) struct Probe {
    /// The model's index of it.
    pub register: usize,
    /// Its valid bit.
    pub valid: Signal,
    /// Its data.
    pub data: Signal,
}

/// The functions of `sim/shim.cpp`.
struct Shim {
    free: unsafe extern "C" fn(*mut c_void),
    tick: unsafe extern "C" fn(*mut c_void, c_int, c_int),
    bind: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void,
    flit: unsafe extern "C" fn(*mut c_void) -> u32,
}

/// The design under test.
pub(super) struct Dut {
    handle: *mut c_void,
    shim: Shim,
    inputs: Vec<Signal>,
    /// bytes of a data word as Verilator stores it
    size: usize,
    flits: u32,
    /// keeps the code that the function pointers point to; dropped after `handle` is freed
    _library: Library,
}

impl Dut {
    /// Loads a simulator built by [`super::build`].
    pub(super) fn load(path: &Path, program: &Program, width: u32) -> Result<Self, LockstepError> {
        let failed = |error: libloading::Error| LockstepError::Load(error.to_string());
        // SAFETY: the object was just built from our shim and Verilator's output; neither runs code when loaded
        // beyond the initialisers of the C++ runtime. The signatures are those of `sim/shim.cpp`.
        unsafe {
            let library = Library::new(path).map_err(failed)?;
            let new: unsafe extern "C" fn() -> *mut c_void = *library.get(b"dut_new\0").map_err(failed)?;
            let input: unsafe extern "C" fn(*mut c_void, u32) -> *mut c_void =
                *library.get(b"dut_input\0").map_err(failed)?;
            let shim = Shim {
                free: *library.get(b"dut_free\0").map_err(failed)?,
                tick: *library.get(b"dut_tick\0").map_err(failed)?,
                bind: *library.get(b"dut_bind\0").map_err(failed)?,
                flit: *library.get(b"dut_flit\0").map_err(failed)?,
            };
            let handle = new();
            let inputs = (0..program.demand.packets() as u32)
                .map(|index| NonNull::new(input(handle, index).cast()).map(Signal))
                .collect::<Option<Vec<Signal>>>();
            let inputs = inputs.ok_or_else(|| LockstepError::Load("an own-packet input is missing".into()))?;
            Ok(Self { handle, shim, inputs, size: stored_bytes(width), flits: program.flits, _library: library })
        }
    }

    /// Finds a variable by scope and name.
    pub(super) fn bind(&self, scope: &str, name: &str) -> Result<Signal, LockstepError> {
        let c_string = |text: &str| CString::new(text).expect("names have no NUL");
        let (c_scope, c_name) = (c_string(scope), c_string(name));
        // SAFETY: the handle is live and both strings outlive the call.
        let found = unsafe { (self.shim.bind)(self.handle, c_scope.as_ptr(), c_name.as_ptr()) };
        NonNull::new(found.cast()).map(Signal).ok_or_else(|| LockstepError::Load(format!("no register {scope}.{name}")))
    }

    /// One clock cycle.
    pub(super) fn tick(&mut self, rst: bool, run: bool) {
        // SAFETY: the handle is live, and we hold it exclusively.
        unsafe { (self.shim.tick)(self.handle, rst.into(), run.into()) }
    }

    /// Puts on every own-packet input the flit that the fabric asks for.
    pub(super) fn present(&mut self, words: &Words) {
        // SAFETY: the handle is live.
        let flit = unsafe { (self.shim.flit)(self.handle) };
        for (packet, input) in self.inputs.iter().enumerate() {
            let word = words.get(FlitId(packet as u32 * self.flits + flit));
            // SAFETY: the input is a variable of `size` bytes inside the live simulator, and the word is as long.
            unsafe { input.0.as_ptr().copy_from_nonoverlapping(word.as_ptr(), self.size) };
        }
    }

    /// Whether a register holds this word, or is invalid if there is none.
    pub(super) fn holds(&self, probe: &Probe, expected: Option<&[u8]>) -> bool {
        match expected {
            Some(word) => self.is_valid(probe) && self.data(probe) == word,
            None => !self.is_valid(probe),
        }
    }

    /// What a register holds, in hexadecimal, if it is valid.
    pub(super) fn read(&self, probe: &Probe) -> Option<String> {
        let hex = || self.data(probe).iter().rev().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        self.is_valid(probe).then(hex)
    }

    #[allow(clippy::unused_self)] // the pointer is good only while the simulator lives
    fn is_valid(&self, probe: &Probe) -> bool {
        // SAFETY: a one-bit variable is stored as one byte.
        unsafe { *probe.valid.0.as_ptr() & 1 == 1 }
    }

    fn data(&self, probe: &Probe) -> &[u8] {
        // SAFETY: the variable has `size` bytes, and only `tick`, which takes `&mut self`, changes it.
        unsafe { std::slice::from_raw_parts(probe.data.0.as_ptr(), self.size) }
    }
}

impl Drop for Dut {
    fn drop(&mut self) {
        // SAFETY: the handle came from `dut_new` and is freed once.
        unsafe { (self.shim.free)(self.handle) }
    }
}

/// How many bytes Verilator stores a vector in: 1, 2, 4, 8, or as many 32-bit words as it takes.
fn stored_bytes(width: u32) -> usize {
    match width {
        ..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        wide => 4 * wide.div_ceil(32) as usize,
    }
}

/// The words of every flit, as Verilator stores them.
pub(super) struct Words {
    bytes: Vec<u8>,
    size: usize,
}

impl Words {
    pub(super) fn of(payloads: Payloads, program: &Program) -> Self {
        let size = stored_bytes(payloads.width);
        let flits = program.demand.packets() as u32 * program.flits;
        let mut bytes = Vec::with_capacity(flits as usize * size);
        for flit in 0..flits {
            let end = bytes.len() + size;
            for word in payloads.words(FlitId(flit)) {
                let left = (end - bytes.len()).min(8);
                bytes.extend_from_slice(&word.to_le_bytes()[..left]);
            }
        }
        Self { bytes, size }
    }

    /// One flit's word.
    pub(super) fn get(&self, flit: FlitId) -> &[u8] {
        &self.bytes[flit.0 as usize * self.size..][..self.size]
    }
}
