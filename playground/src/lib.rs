//! Torusweave as WebAssembly: a page asks in JSON, and gets JSON or the bytes of a file.
//!
//! There is one buffer. A page asks for room ([`room`]), writes its request there, lets it be answered ([`answer`]), and reads as many
//! bytes as that returns. No generated glue is needed for three functions of numbers.

pub mod engine;

use std::sync::Mutex;

use engine::Engine;

static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ENGINE: Mutex<Engine> = Mutex::new(Engine::new());

/// Makes room for a request of so many bytes, and returns its address.
#[allow(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut buffer = BUFFER.lock().expect("one thread");
    buffer.clear();
    buffer.resize(bytes, 0);
    buffer.as_mut_ptr()
}

/// Answers the request in the buffer, and returns the length of the answer there.
#[allow(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let mut buffer = BUFFER.lock().expect("one thread");
    *buffer = ENGINE.lock().expect("one thread").answer(&buffer);
    buffer.len()
}

/// Address of the answer.
#[allow(unsafe_code, reason = "a name that the page can call")]
#[unsafe(no_mangle)]
pub extern "C" fn bytes() -> *const u8 {
    BUFFER.lock().expect("one thread").as_ptr()
}
