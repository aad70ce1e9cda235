//! Layout of a waveform in `GTKWave`: the clock on top, the nodes below one another, all but the first folded up.

use crate::emit::shared::names;
use crate::emit::vcd::{Signal, SignalFormat, SignalScope, port_scopes};
use crate::program::Program;

/// `GTKWave`'s flags of a line: which number stands for what, its sources say (analyzer.h).
const LEVEL: &str = "@28";
const HEX: &str = "@22";
const NUMBER: &str = "@24";
const OPEN: [&str; 2] = ["@800200", "@1000200"];
const FOLDED: [&str; 2] = ["@c00200", "@1401200"];

/// Initial zoom: 2 to the minus exponent is the time of 200 pixels, here five clocks.
const ZOOM: &str = "*-5.643856 0 -1";

/// A save file of `GTKWave` for a waveform with these signals.
pub fn view(dump: &str, scopes: &[SignalScope]) -> String {
    let mut text = format!("[dumpfile] \"{dump}\"\n[timestart] 0\n{ZOOM}\n");
    let mut is_first = true;
    for SignalScope { heading, path, signals } in scopes.iter().filter(|scope| !scope.signals.is_empty()) {
        let [begins, ends] = if is_first { OPEN } else { FOLDED };
        if !heading.is_empty() {
            text += &format!("{begins}\n-{heading}\n");
        }
        for Signal { name, width, shown } in signals {
            let flag = match shown {
                SignalFormat::Level => LEVEL,
                SignalFormat::Hex => HEX,
                SignalFormat::Number | SignalFormat::Integer => NUMBER,
            };
            let is_vector = *width > 1 && *shown != SignalFormat::Integer;
            let range = if is_vector { format!("[{}:0]", width - 1) } else { String::new() };
            text += &format!("{flag}\n{}.{name}{range}\n", path.join("."));
        }
        if !heading.is_empty() {
            text += &format!("{ends}\n-{heading}\n");
            is_first = false;
        }
    }
    text
}

/// View for the recording of a testbench: the tick is in the testbench, everything else in the fabric.
pub fn view_of_testbench(dump: &str, program: &Program, width: u32) -> String {
    let bench = names::testbench(program);
    let mut scopes = port_scopes(program, width, &[bench.clone(), "fabric".to_owned()]);
    let ticks = scopes[0].signals.extract_if(.., |signal| *signal == Signal::tick()).collect();
    scopes.insert(1, SignalScope { heading: String::new(), path: vec![bench], signals: ticks });
    view(dump, &scopes)
}
