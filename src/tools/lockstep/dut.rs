//! The Verilated fabric in this process. The only unsafe code of the project: a shared object and pointers into it.
//!
//! No pointer leaves this file. A [`Dut`] binds all that is to be read or written when it is loaded, refuses what has
//! another size than the program says, and hands out copies or slices that borrow it.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;

use libloading::Library;

use super::LockstepError;
use super::probe::Probe;
use super::words::{Words, stored_bytes};
use crate::program::FlitId;
use crate::program::Program;

/// A variable as `sim/shim.cpp` gives it.
#[repr(C)]
struct Found {
    data: *mut c_void,
    size: usize,
}

/// The functions of `sim/shim.cpp`.
struct Shim {
    free: unsafe extern "C" fn(*mut c_void),
    tick: unsafe extern "C" fn(*mut c_void, c_int, c_int),
    bind: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> Found,
    input: unsafe extern "C" fn(*mut c_void, usize) -> Found,
    flit: unsafe extern "C" fn(*mut c_void) -> u32,
}

/// A live simulator: freed before the code that frees it is unloaded.
struct Simulator {
    handle: NonNull<c_void>,
    shim: Shim,
    /// keeps the code that the function pointers point to; a field is dropped after the `drop` of its struct
    _library: Library,
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // SAFETY: the handle came from `dut_new` and is freed once.
        unsafe { (self.shim.free)(self.handle.as_ptr()) }
    }
}

/// A variable inside the simulator: `size` bytes that live as long as it does.
struct Variable {
    data: NonNull<u8>,
    size: usize,
}

/// One output register of one router.
struct Register {
    valid: Variable,
    data: Variable,
}

/// The design under test.
pub(super) struct Dut {
    simulator: Simulator,
    inputs: Vec<Variable>,
    /// in the order of the probes
    registers: Vec<Register>,
    flits: u32,
}

impl Simulator {
    /// Loads a simulator built by [`super::build`].
    fn load(path: &Path) -> Result<Self, LockstepError> {
        let failed = |error: libloading::Error| LockstepError::Load(error.to_string());
        // SAFETY: the object was just built from our shim and Verilator's output; neither runs code when loaded
        // beyond the initialisers of the C++ runtime. The signatures are those of `sim/shim.cpp`.
        unsafe {
            let library = Library::new(path).map_err(failed)?;
            let new: unsafe extern "C" fn() -> *mut c_void = *library.get(b"dut_new\0").map_err(failed)?;
            let shim = Shim {
                free: *library.get(b"dut_free\0").map_err(failed)?,
                tick: *library.get(b"dut_tick\0").map_err(failed)?,
                bind: *library.get(b"dut_bind\0").map_err(failed)?,
                input: *library.get(b"dut_input\0").map_err(failed)?,
                flit: *library.get(b"dut_flit\0").map_err(failed)?,
            };
            let handle = NonNull::new(new()).ok_or_else(|| LockstepError::Load("no fabric was made".into()))?;
            Ok(Self { handle, shim, _library: library })
        }
    }

    /// An own-packet input, which must take so many bytes.
    fn input(&self, index: usize, size: usize) -> Result<Variable, LockstepError> {
        // SAFETY: the handle is live.
        let found = unsafe { (self.shim.input)(self.handle.as_ptr(), index) };
        Variable::checked(&found, size, || format!("own packet {index}"))
    }

    /// A variable by scope and name, which must take so many bytes.
    fn bind(&self, scope: &str, name: &str, size: usize) -> Result<Variable, LockstepError> {
        let c_string = |text: &str| CString::new(text).expect("names have no NUL");
        let (c_scope, c_name) = (c_string(scope), c_string(name));
        // SAFETY: the handle is live and both strings outlive the call.
        let found = unsafe { (self.shim.bind)(self.handle.as_ptr(), c_scope.as_ptr(), c_name.as_ptr()) };
        Variable::checked(&found, size, || format!("{scope}.{name}"))
    }
}

impl Variable {
    /// Refuses what is not there or has another size.
    fn checked(found: &Found, size: usize, name: impl Fn() -> String) -> Result<Self, LockstepError> {
        let data = NonNull::new(found.data.cast()).ok_or_else(|| LockstepError::NoVariable { name: name() })?;
        if found.size != size {
            return Err(LockstepError::Size { name: name(), found: found.size, expected: size });
        }
        Ok(Self { data, size })
    }
}

impl Dut {
    /// Loads a simulator built by [`super::build`] and finds the inputs of a program and the registers of the probes.
    pub(super) fn load(path: &Path, program: &Program, width: u32, probes: &[Probe]) -> Result<Self, LockstepError> {
        let simulator = Simulator::load(path)?;
        let word = stored_bytes(width);
        let inputs = (0..program.demand.packets() as usize).map(|index| simulator.input(index, word));
        let inputs = inputs.collect::<Result<_, _>>()?;
        let registers = probes.iter().map(|Probe { scope, output, .. }| {
            let valid = simulator.bind(scope, &format!("{output}_valid"), 1)?;
            Ok(Register { valid, data: simulator.bind(scope, &format!("{output}_data"), word)? })
        });
        let registers = registers.collect::<Result<_, LockstepError>>()?;
        Ok(Self { simulator, inputs, registers, flits: program.flits })
    }

    /// One clock cycle.
    pub(super) fn tick(&mut self, rst: bool, run: bool) {
        // SAFETY: the handle is live, and we hold it exclusively.
        unsafe { (self.simulator.shim.tick)(self.simulator.handle.as_ptr(), rst.into(), run.into()) }
    }

    /// Puts on every own-packet input the flit that the fabric asks for.
    pub(super) fn present(&mut self, words: &Words) {
        // SAFETY: the handle is live.
        let flit = unsafe { (self.simulator.shim.flit)(self.simulator.handle.as_ptr()) };
        for (packet, input) in self.inputs.iter_mut().enumerate() {
            // SAFETY: the variable has `size` bytes inside the live simulator, which we hold exclusively.
            let bytes = unsafe { std::slice::from_raw_parts_mut(input.data.as_ptr(), input.size) };
            bytes.copy_from_slice(words.get(FlitId(packet as u32 * self.flits + flit)));
        }
    }

    /// Whether the register of this probe holds this word, or is invalid if there is none.
    pub(super) fn holds(&self, probe: usize, expected: Option<&[u8]>) -> bool {
        self.register(probe) == expected
    }

    /// What the register of this probe holds, in hexadecimal, if it is valid.
    pub(super) fn hex(&self, probe: usize) -> Option<String> {
        let hex = |word: &[u8]| word.iter().rev().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        self.register(probe).map(hex)
    }

    fn register(&self, probe: usize) -> Option<&[u8]> {
        let Register { valid, data } = &self.registers[probe];
        (self.bytes(valid)[0] & 1 == 1).then(|| self.bytes(data))
    }

    #[allow(clippy::unused_self)] // the bytes live as long as the simulator, and change when it is borrowed mutably
    fn bytes<'s>(&'s self, variable: &'s Variable) -> &'s [u8] {
        // SAFETY: the variable has `size` bytes inside the live simulator; only `tick` and `present` change them.
        unsafe { std::slice::from_raw_parts(variable.data.as_ptr(), variable.size) }
    }
}
