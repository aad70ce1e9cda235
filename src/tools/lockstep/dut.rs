//! The Verilated fabric in this process. The only unsafe code of the project: a shared object and pointers into it.
//!
//! No pointer leaves this file. A [`Dut`] binds all that is to be read or written when it is loaded, refuses what has
//! another size than the program says, and hands out copies or slices that borrow it.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;

use libloading::Library;

use super::LockstepError;
use super::probe::Probe;
use super::wiring::Wiring;
use super::words::FlitWords;
use crate::emit::OwnInput;
use crate::program::FlitId;

/// A variable as `sim/shim.h` gives it.
#[repr(C)]
struct ShimVariable {
    data: *mut c_void,
    size: usize,
}

/// The functions of `sim/exports.cpp`.
struct Shim {
    free: unsafe extern "C" fn(*mut c_void),
    tick: unsafe extern "C" fn(*mut c_void, c_int, c_int),
    bind: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> ShimVariable,
    input: unsafe extern "C" fn(*mut c_void, usize) -> ShimVariable,
    taken: unsafe extern "C" fn(*mut c_void, usize) -> c_int,
    flit: unsafe extern "C" fn(*mut c_void) -> u32,
    settle: unsafe extern "C" fn(*mut c_void, c_int, c_int),
}

/// Constructor of a fabric from the wiring of its parts.
type Make = unsafe extern "C" fn(*const u32) -> *mut c_void;

/// A live fabric: freed before the code that frees it is unloaded.
struct LiveFabric {
    handle: NonNull<c_void>,
    shim: Shim,
    /// keeps the code that the function pointers point to; a field is dropped after the `drop` of its struct
    _library: Library,
}

impl Drop for LiveFabric {
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

/// An input for packets of a node's own.
struct DrivenInput {
    variable: Variable,
    flits: Range<u64>,
    /// number of words taken, for a stream
    sent: u64,
}

/// One output register of one router.
struct ObservedRegister {
    valid: Variable,
    data: Variable,
}

/// The design under test.
pub(super) struct Dut {
    instance: LiveFabric,
    inputs: Vec<DrivenInput>,
    /// the inputs for lengths
    lengths: Vec<Variable>,
    /// true if a bit that sets the routers is shifted in, and which, if they are set
    configuring: Vec<Variable>,
    /// valid bits of what arrives from outputs that never send, with the registers these would have
    silent: Vec<(Variable, usize)>,
    /// true if each input shows its flits one after the other; else all show the one that the fabric asks for
    streams: bool,
    /// registers with arrivals, followed by those of the probes
    registers: Vec<ObservedRegister>,
}

/// Design with ports of its own kind: each variable is bound by its place in a list.
pub(super) struct DutWires {
    instance: LiveFabric,
    /// ports, followed by those of the probes
    variables: Vec<Variable>,
}

/// Variable inside a design, by the instance it is in.
pub(super) struct WireProbe {
    /// Instance with the variable.
    pub scope: String,
    /// Name of the variable.
    pub name: String,
    /// Bytes that Verilator stores it in.
    pub bytes: usize,
}

/// Opens a library with all that it needs: what is missing is found now, and not when it is called.
unsafe fn open(path: &Path) -> Result<Library, libloading::Error> {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // SAFETY: see the caller.
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
    }
    #[cfg(not(unix))]
    // SAFETY: see the caller.
    unsafe {
        Library::new(path)
    }
}

/// Fails unless a simulator can be loaded.
pub(super) fn loads(path: &Path) -> Result<(), LockstepError> {
    Shim::load(path).map(|_| ())
}

impl Shim {
    /// Loads a simulator built by [`super::build`].
    fn load(path: &Path) -> Result<(Library, Make, Self), LockstepError> {
        let failed = |error: libloading::Error| LockstepError::Load(error.to_string());
        // SAFETY: the object was built from our shim and Verilator's output; neither runs code when loaded
        // beyond the initialisers of the C++ runtime. The signatures are those of `sim/exports.cpp`.
        unsafe {
            let library = open(path).map_err(failed)?;
            let new: Make = *library.get(b"dut_new\0").map_err(failed)?;
            let shim = Self {
                free: *library.get(b"dut_free\0").map_err(failed)?,
                tick: *library.get(b"dut_tick\0").map_err(failed)?,
                bind: *library.get(b"dut_bind\0").map_err(failed)?,
                input: *library.get(b"dut_input\0").map_err(failed)?,
                taken: *library.get(b"dut_taken\0").map_err(failed)?,
                flit: *library.get(b"dut_flit\0").map_err(failed)?,
                settle: *library.get(b"dut_settle\0").map_err(failed)?,
            };
            Ok((library, new, shim))
        }
    }
}

impl LiveFabric {
    /// Loads a simulator with the table that says how its parts are wired, if it is made of parts.
    fn load(path: &Path, table: &[u32]) -> Result<Self, LockstepError> {
        let (library, new, shim) = Shim::load(path)?;
        // SAFETY: where there are parts, the table is that of `super::parts` for the parts of this object, and has what it
        // says it has.
        let handle = unsafe { new(table.as_ptr()) };
        let handle = NonNull::new(handle).ok_or_else(|| LockstepError::Load("no fabric was made".into()))?;
        Ok(Self { handle, shim, _library: library })
    }

    /// A port of the list, which must take so many bytes.
    fn input(&self, index: usize, size: usize) -> Result<Variable, LockstepError> {
        // SAFETY: the handle is live.
        let found = unsafe { (self.shim.input)(self.handle.as_ptr(), index) };
        Variable::checked(&found, size, || format!("port {index}"))
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
    fn checked(found: &ShimVariable, size: usize, name: impl Fn() -> String) -> Result<Self, LockstepError> {
        let data = NonNull::new(found.data.cast()).ok_or_else(|| LockstepError::NoVariable { name: name() })?;
        if found.size != size {
            return Err(LockstepError::Size { name: name(), found: found.size, expected: size });
        }
        Ok(Self { data, size })
    }
}

impl Dut {
    /// Loads a simulator built by [`super::build`] and finds the ports of a program and the registers of the probes.
    pub(super) fn load(path: &Path, table: &[u32], wiring: &Wiring, probes: &[Probe]) -> Result<Self, LockstepError> {
        let instance = LiveFabric::load(path, table)?;
        let input = |(index, own): (usize, &OwnInput)| {
            Ok(DrivenInput { variable: instance.input(index, wiring.word_bytes)?, flits: own.flits.clone(), sent: 0 })
        };
        let inputs = wiring.own.iter().enumerate().map(input).collect::<Result<Vec<_>, LockstepError>>()?;
        let lengths = (inputs.len()..).take(wiring.lengths.len());
        let lengths = lengths.map(|index| instance.input(index, wiring.length_bytes)).collect::<Result<Vec<_>, _>>()?;
        let configuring = (inputs.len() + lengths.len()..).take(wiring.configuring().len());
        let configuring = configuring.map(|index| instance.input(index, 1)).collect::<Result<Vec<_>, _>>()?;
        let silent = (inputs.len() + lengths.len() + configuring.len()..).zip(&wiring.silent);
        let silent = silent.map(|(index, &(_, register))| Ok((instance.input(index, 1)?, register)));
        let silent = silent.collect::<Result<Vec<_>, LockstepError>>()?;
        let first = inputs.len() + lengths.len() + configuring.len() + silent.len();
        let arrivals = (first..).step_by(2).take(wiring.arrivals.len()).map(|valid| {
            let data = instance.input(valid + 1, wiring.word_bytes)?;
            Ok(ObservedRegister { valid: instance.input(valid, 1)?, data })
        });
        let inside = probes.iter().map(|Probe { scope, valid, data, bytes }| {
            Ok(ObservedRegister { valid: instance.bind(scope, valid, 1)?, data: instance.bind(scope, data, *bytes)? })
        });
        let registers = arrivals.chain(inside).collect::<Result<_, LockstepError>>()?;
        Ok(Self { instance, inputs, lengths, configuring, silent, streams: wiring.streams, registers })
    }

    /// Returns true if own packets are taken flit by flit.
    pub(super) fn streams(&self) -> bool {
        self.streams
    }

    /// One clock cycle. Streams go on where it took a flit, and begin again where nothing plays.
    pub(super) fn tick(&mut self, rst: bool, run: bool) {
        let LiveFabric { handle, shim, .. } = &self.instance;
        // SAFETY: the handle is live, and we hold it exclusively.
        unsafe { (shim.tick)(handle.as_ptr(), rst.into(), run.into()) }
        for (index, input) in self.inputs.iter_mut().enumerate().filter(|_| self.streams) {
            // SAFETY: as above.
            let taken = unsafe { (shim.taken)(handle.as_ptr(), index) } != 0;
            input.sent = if rst || !run { 0 } else { input.sent + u64::from(taken) };
        }
    }

    /// Shifts in what sets the routers, a bit per clock, while nothing plays.
    pub(super) fn configure(&mut self, bits: &[bool]) {
        for &bit in bits {
            self.set_configuring([true, bit]);
            self.tick(true, false);
        }
        self.set_configuring([false, false]);
    }

    fn set_configuring(&mut self, values: [bool; 2]) {
        for (variable, value) in self.configuring.iter_mut().zip(values) {
            // SAFETY: the variable is a byte inside the live simulator, which we hold exclusively.
            unsafe { variable.data.write(value.into()) };
        }
    }

    /// Gives every message its length, and its flits their numbers, message after message.
    pub(super) fn set_lengths(&mut self, flits: &[Range<u64>]) {
        for ((input, variable), flits) in self.inputs.iter_mut().zip(&self.lengths).zip(flits) {
            input.flits = flits.clone();
            let length = (flits.end - flits.start).to_le_bytes();
            // SAFETY: the variable has `size` bytes inside the live simulator, which we hold exclusively.
            let bytes = unsafe { std::slice::from_raw_parts_mut(variable.data.as_ptr(), variable.size) };
            bytes.copy_from_slice(&length[..variable.size]);
        }
    }

    /// Puts on every own-packet input the flit that is due.
    pub(super) fn present(&mut self, words: &FlitWords) {
        // SAFETY: the handle is live.
        let flit = u64::from(unsafe { (self.instance.shim.flit)(self.instance.handle.as_ptr()) });
        for DrivenInput { variable, flits, sent } in &mut self.inputs {
            let place = if self.streams { *sent } else { flit };
            let Some(place) = place.checked_rem(flits.end - flits.start) else { continue };
            // SAFETY: the variable has `size` bytes inside the live simulator, which we hold exclusively.
            let bytes = unsafe { std::slice::from_raw_parts_mut(variable.data.as_ptr(), variable.size) };
            bytes.copy_from_slice(words.get(FlitId((flits.start + place) as u32)));
        }
    }

    /// Returns true if this register holds this word, or is invalid for `None`.
    pub(super) fn holds(&self, register: usize, expected: Option<&[u8]>) -> bool {
        self.register(register) == expected
    }

    /// An output that never sends and yet something arrives from it: the register it would have.
    pub(super) fn noise(&self) -> Option<usize> {
        self.silent.iter().find(|(valid, _)| self.bytes(valid)[0] & 1 == 1).map(|&(_, register)| register)
    }

    /// Contents of this register in hexadecimal, if valid.
    pub(super) fn hex(&self, register: usize) -> Option<String> {
        let hex = |word: &[u8]| word.iter().rev().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        self.register(register).map(hex)
    }

    /// Contents of this register in 64-bit words, the least significant first.
    pub(super) fn words(&self, register: usize) -> Option<Vec<u64>> {
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        self.register(register).map(|bytes| bytes.chunks(8).map(word).collect())
    }

    fn register(&self, register: usize) -> Option<&[u8]> {
        let ObservedRegister { valid, data } = &self.registers[register];
        (self.bytes(valid)[0] & 1 == 1).then(|| self.bytes(data))
    }

    #[allow(clippy::unused_self)] // the bytes live as long as the simulator, and change when it is borrowed mutably
    fn bytes<'s>(&'s self, variable: &'s Variable) -> &'s [u8] {
        // SAFETY: the variable has `size` bytes inside the live simulator; only `tick` and `present` change them.
        unsafe { std::slice::from_raw_parts(variable.data.as_ptr(), variable.size) }
    }
}

impl DutWires {
    /// Loads a simulator; ports have these sizes in bytes, in the order of its list.
    pub(super) fn load(path: &Path, ports: &[usize], probes: &[WireProbe]) -> Result<Self, LockstepError> {
        let instance = LiveFabric::load(path, &[])?;
        let ports = ports.iter().enumerate().map(|(index, &bytes)| instance.input(index, bytes));
        let inside = probes.iter().map(|probe| instance.bind(&probe.scope, &probe.name, probe.bytes));
        let variables = ports.chain(inside).collect::<Result<_, LockstepError>>()?;
        Ok(Self { instance, variables })
    }

    /// Lets the inputs take effect before the edge.
    pub(super) fn settle(&mut self, rst: bool, start: bool) {
        let LiveFabric { handle, shim, .. } = &self.instance;
        // SAFETY: the handle is live, and we hold it exclusively.
        unsafe { (shim.settle)(handle.as_ptr(), rst.into(), start.into()) }
    }

    /// One clock cycle.
    pub(super) fn tick(&mut self, rst: bool, start: bool) {
        let LiveFabric { handle, shim, .. } = &self.instance;
        // SAFETY: the handle is live, and we hold it exclusively.
        unsafe { (shim.tick)(handle.as_ptr(), rst.into(), start.into()) }
    }

    /// Sets a variable; what the bytes leave out is 0.
    pub(super) fn set(&mut self, index: usize, value: &[u8]) {
        let Variable { data, size } = &self.variables[index];
        // SAFETY: the variable has `size` bytes inside the live simulator, which we hold exclusively.
        let bytes = unsafe { std::slice::from_raw_parts_mut(data.as_ptr(), *size) };
        bytes.fill(0);
        bytes[..value.len()].copy_from_slice(value);
    }

    /// Bytes of a variable.
    pub(super) fn get(&self, index: usize) -> &[u8] {
        let Variable { data, size } = &self.variables[index];
        // SAFETY: the variable has `size` bytes inside the live simulator; only `tick`, `settle` and `set` change them.
        unsafe { std::slice::from_raw_parts(data.as_ptr(), *size) }
    }
}
