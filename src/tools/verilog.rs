//! Reads a Verilog module as far as it is made of others: ports, nets, instances. What else stands in it stays text.
//!
//! The reader takes what the emitter writes, and refuses what it does not know: nothing is passed over.

mod lexer;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use thiserror::Error;

pub use lexer::{WordIter, without_comments};

use lexer::TextCursor;

/// Why a module cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum VerilogError {
    /// Something else stands where something must.
    #[error("line {line}: {expected} was expected, not `{found}`")]
    Expected {
        /// Line number, from 1.
        line: usize,
        /// Token that was expected.
        expected: &'static str,
        /// Text found there.
        found: String,
    },
    /// Another form than those of the emitter.
    #[error("line {line}: `{what}` is not read")]
    Unknown {
        /// Line number, from 1.
        line: usize,
        /// Text that is not understood.
        what: String,
    },
}

/// True if a port leads in or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Input of the module.
    Input,
    /// Output of the module.
    Output,
}

/// A port or a net: what is declared of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net<'t> {
    /// `wire` or `reg`.
    pub kind: &'t str,
    /// `[WIDTH-1:0]`, or nothing.
    pub range: &'t str,
    /// Direction, for a port.
    pub direction: Option<Direction>,
}

/// An instance of another module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance<'t> {
    /// Name of its module.
    pub module: &'t str,
    /// Name to show.
    pub name: &'t str,
    /// Parameters with their values.
    pub parameters: Vec<(&'t str, &'t str)>,
    /// Ports with the connected expressions.
    pub connections: Vec<(&'t str, &'t str)>,
}

/// Module as parsed.
#[derive(Clone, Debug)]
pub struct Module<'t> {
    /// Name to show.
    pub name: &'t str,
    /// Parameters with their defaults.
    pub parameters: Vec<(&'t str, &'t str)>,
    /// The names of its ports, in order.
    pub ports: Vec<&'t str>,
    /// Declarations of ports and nets.
    pub nets: HashMap<&'t str, Net<'t>>,
    /// Nets that are not ports, in order.
    pub inside: Vec<&'t str>,
    /// Instances in the module.
    pub instances: Vec<Instance<'t>>,
    /// Text of all other items.
    pub rest: Vec<&'t str>,
}

impl<'t> Module<'t> {
    /// Reads the one module of a text without comments.
    pub fn read(text: &'t str) -> Result<Self, VerilogError> {
        let mut at = TextCursor::new(text);
        let mut module = Self::heading(&mut at)?;
        while !at.takes_end_of("module") {
            module.item(&mut at)?;
        }
        Ok(module)
    }

    /// Reads no more of it than its parameters and ports.
    pub fn outside(text: &'t str) -> Result<Self, VerilogError> {
        Self::heading(&mut TextCursor::new(text))
    }

    fn heading(at: &mut TextCursor<'t>) -> Result<Self, VerilogError> {
        at.skip_attribute()?;
        at.expect("module", "`module`")?;
        let mut module = Self {
            name: at.word()?,
            parameters: Vec::new(),
            ports: Vec::new(),
            nets: HashMap::new(),
            inside: Vec::new(),
            instances: Vec::new(),
            rest: Vec::new(),
        };
        if at.takes("#") {
            module.parameters = at.list(parameter)?;
        }
        for (name, net) in at.list(port)? {
            module.ports.push(name);
            module.nets.insert(name, net);
        }
        at.expect(";", "`;`")?;
        Ok(module)
    }

    fn item(&mut self, at: &mut TextCursor<'t>) -> Result<(), VerilogError> {
        let begin = at.place();
        at.skip_attribute()?;
        match at.peek() {
            "always" => at.skip_process()?,
            "wire" | "reg" => {
                let mut declared = *at;
                let kind = declared.word()?;
                let range = declared.range()?;
                let name = declared.word()?;
                if declared.takes(";") {
                    *at = declared;
                    self.nets.insert(name, Net { kind, range, direction: None });
                    self.inside.push(name);
                    return Ok(());
                }
                at.skip_to_semicolon()?;
            }
            "assign" | "localparam" => at.skip_to_semicolon()?,
            "initial" | "generate" | "function" | "task" | "for" | "if" => return Err(at.unknown()),
            _ => {
                let module = at.word()?;
                let parameters = if at.takes("#") { at.list(connection)? } else { Vec::new() };
                let name = at.word()?;
                let connections = at.list(connection)?;
                at.expect(";", "`;`")?;
                self.instances.push(Instance { module, name, parameters, connections });
                return Ok(());
            }
        }
        self.rest.push(at.since(begin));
        Ok(())
    }

    /// Evaluates the parameters of an instance that sets the given ones.
    pub fn values(&self, given: &BTreeMap<&str, u32>) -> Option<BTreeMap<&'t str, u32>> {
        let mut values = BTreeMap::new();
        for &(name, default) in &self.parameters {
            let value = given.get(name).copied().or_else(|| value(default, &values))?;
            values.insert(name, value);
        }
        Some(values)
    }
}

/// Number of bits a range has, with the parameters that it is told in.
pub fn bits(range: &str, parameters: &BTreeMap<&str, u32>) -> Option<u32> {
    if range.is_empty() {
        return Some(1);
    }
    let (high, low) = range.strip_prefix('[')?.strip_suffix(']')?.split_once(':')?;
    value(high, parameters)?.checked_sub(value(low, parameters)?)?.checked_add(1)
}

/// A difference of numbers and parameters, or one of them.
pub fn value(text: &str, parameters: &BTreeMap<&str, u32>) -> Option<u32> {
    let one = |text: &str| text.parse().ok().or_else(|| parameters.get(text).copied());
    let mut terms = text.split('-').map(str::trim);
    let first = one(terms.next()?)?;
    terms.try_fold(first, |sum, term| sum.checked_sub(one(term)?))
}

/// `parameter integer WIDTH = 32`
fn parameter<'t>(at: &mut TextCursor<'t>) -> Result<(&'t str, &'t str), VerilogError> {
    at.expect("parameter", "`parameter`")?;
    at.expect("integer", "`integer`")?;
    let name = at.word()?;
    at.expect("=", "`=`")?;
    Ok((name, at.expression()?))
}

/// `input  wire [WIDTH-1:0] own_0`
fn port<'t>(at: &mut TextCursor<'t>) -> Result<(&'t str, Net<'t>), VerilogError> {
    let direction = match at.peek() {
        "input" => Direction::Input,
        "output" => Direction::Output,
        _ => return Err(at.expected("`input` or `output`")),
    };
    at.word()?;
    let kind = match at.peek() {
        "wire" | "reg" => at.word()?,
        _ => return Err(at.expected("`wire` or `reg`")),
    };
    let range = at.range()?;
    Ok((at.word()?, Net { kind, range, direction: Some(direction) }))
}

/// Parses a connection such as `.own_0(n0_0_own_0)`.
fn connection<'t>(at: &mut TextCursor<'t>) -> Result<(&'t str, &'t str), VerilogError> {
    at.expect(".", "`.`")?;
    let port = at.word()?;
    at.expect("(", "`(`")?;
    let to = at.expression()?;
    at.expect(")", "`)`")?;
    Ok((port, to))
}
