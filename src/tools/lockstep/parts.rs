//! A fabric as parts that are Verilated one by one: each module of which it has instances once, however many there are, and what
//! else stands in it, its head, as a module of its own.
//!
//! The parts are wired as the fabric's text says, not as they should be, so that a wrong wire is a wrong register. Nothing of
//! the text is passed over: what is no instance is compiled with the head.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use askama::Template;
use thiserror::Error;

use super::wiring::Wiring;
use crate::tools::verilog::{Direction, Module, VerilogError, WordIter, bits, value, without_comments};

/// Why a fabric cannot be taken apart.
#[derive(Debug, Error)]
pub enum PartsError {
    /// A module cannot be read.
    #[error("cannot read `{module}`: {source}")]
    Unread {
        /// Name of the module.
        module: String,
        /// Reason given by the parser.
        source: VerilogError,
    },
    /// There is no such module.
    #[error("there is no module `{0}`")]
    NoModule(String),
    /// A port, a net or a parameter is not there, or is not a number of bits.
    #[error("`{instance}`: `{what}` is not known")]
    Unknown {
        /// Name of the instance.
        instance: String,
        /// Name of the unknown module, port or net.
        what: String,
    },
    /// A port and what it is connected to are not equally wide.
    #[error("`{instance}`: `{port}` has {found} bits and gets {expected}")]
    Width {
        /// Name of the instance.
        instance: String,
        /// Name of the output port.
        port: String,
        /// The bits of the port.
        found: u32,
        /// The bits of what it is connected to.
        expected: u32,
    },
    /// An input hangs in the air.
    #[error("`{instance}`: nothing is connected to `{port}`")]
    Open {
        /// Name of the instance.
        instance: String,
        /// Name of the output port.
        port: String,
    },
    /// Two outputs are connected.
    #[error("`{net}` is driven by `{instance}` and by another instance")]
    Twice {
        /// Name of the net.
        net: String,
        /// One of them.
        instance: String,
    },
}

/// The head: the fabric without its instances, with their ends as ports.
#[derive(Template)]
#[template(path = "lockstep/head.v", escape = "none")]
struct Head<'t> {
    name: &'t str,
    parameters: &'t [(&'t str, &'t str)],
    ports: Vec<HeadPort<'t>>,
    inside: Vec<Declared<'t>>,
    rest: &'t [&'t str],
}

/// A port of the head.
struct HeadPort<'t> {
    direction: &'static str,
    declared: Declared<'t>,
    /// driving expression, if it is not a net of the fabric
    expression: Option<&'t str>,
}

struct Declared<'t> {
    kind: &'t str,
    range: &'t str,
    name: Cow<'t, str>,
}

/// A module with its parameters, Verilated once.
#[derive(Debug)]
pub(super) struct VerilatedModule {
    pub module: String,
    /// parameter values by name
    pub parameters: Vec<(String, u32)>,
    pub ports: Vec<String>,
}

/// All of them, and how their instances are wired.
#[derive(Debug)]
pub(super) struct VerilatedModules {
    /// the head first
    pub modules: Vec<VerilatedModule>,
    /// the text of the head
    pub head: String,
    /// for `sim/parts.cpp`, which says what stands in it
    pub table: Vec<u32>,
    /// instances, without the head
    pub instances: usize,
}

/// A port of an instance.
type InstancePort = (u32, u32);

/// Place of the clock.
const CLOCK: InstancePort = (0, 0);
/// Module number of the bench, which drives `rst`, `run`, the nodes' own packets, and the configuration.
const OUTSIDE: u32 = 1;
/// The instance of the head; those of the fabric follow.
const HEAD: u32 = 2;

/// Contents of a fabric's module.
struct ModuleContents<'t> {
    fabric: &'t Module<'t>,
    modules: &'t HashMap<&'t str, Module<'t>>,
    /// parameters of the fabric
    values: BTreeMap<&'t str, u32>,
    parts: Vec<VerilatedModule>,
    /// part number of each instance
    kinds: Vec<u32>,
    drivers: HashMap<&'t str, InstancePort>,
    /// each input, with the net that it reads
    readers: Vec<(&'t str, InstancePort)>,
    /// connected expressions that are not nets, by text; the head drives them
    expressions: Vec<&'t str>,
    /// the number of such a text with what reads it
    told: Vec<(usize, InstancePort)>,
}

impl VerilatedModules {
    /// Takes the fabric of this name apart.
    pub fn of(files: &[(String, String)], name: &str, wiring: &Wiring) -> Result<Self, PartsError> {
        let text_of = |module: &str| {
            let text = files.iter().find(|(path, _)| path.strip_suffix(".v") == Some(module));
            text.map(|(_, text)| without_comments(text)).ok_or_else(|| PartsError::NoModule(module.to_owned()))
        };
        let text = text_of(name)?;
        let fabric = Module::read(&text).map_err(unread(name))?;
        let used: BTreeSet<&str> = fabric.instances.iter().map(|instance| instance.module).collect();
        let texts =
            used.iter().map(|&module| Ok((module, text_of(module)?))).collect::<Result<Vec<_>, PartsError>>()?;
        let mut modules = HashMap::new();
        for (module, text) in &texts {
            modules.insert(*module, Module::outside(text).map_err(unread(module))?);
        }
        let unknown = || PartsError::Unknown { instance: name.to_owned(), what: "parameter".into() };
        let mut taken = ModuleContents {
            fabric: &fabric,
            modules: &modules,
            values: fabric.values(&BTreeMap::new()).ok_or_else(unknown)?,
            parts: vec![VerilatedModule { module: name.to_owned(), parameters: Vec::new(), ports: Vec::new() }],
            kinds: Vec::new(),
            drivers: HashMap::new(),
            readers: Vec::new(),
            expressions: Vec::new(),
            told: Vec::new(),
        };
        taken.instances()?;
        taken.wired(wiring)
    }
}

impl<'t> ModuleContents<'t> {
    fn bits_of(&self, net: &str) -> Option<u32> {
        bits(self.fabric.nets.get(net)?.range, &self.values)
    }

    /// Reads what each instance is, and what drives and reads what.
    fn instances(&mut self) -> Result<(), PartsError> {
        let mut known: HashMap<(&str, BTreeMap<&str, u32>), u32> = HashMap::new();
        let fabric = self.fabric;
        for (number, instance) in (HEAD + 1..).zip(&fabric.instances) {
            let unknown =
                |what: &str| PartsError::Unknown { instance: instance.name.to_owned(), what: what.to_owned() };
            let module = self.modules.get(instance.module).ok_or_else(|| unknown(instance.module))?;
            let mut given = BTreeMap::new();
            for &(name, text) in &instance.parameters {
                if !module.parameters.iter().any(|&(known, _)| known == name) {
                    return Err(unknown(name));
                }
                given.insert(name, value(text, &self.values).ok_or_else(|| unknown(text))?);
            }
            let values = module.values(&given).ok_or_else(|| unknown("parameter"))?;
            let kind = *known.entry((instance.module, given)).or_insert_with_key(|(name, given)| {
                let parameters = given.iter().map(|(&name, &value)| (name.to_owned(), value)).collect();
                let ports = module.ports.iter().map(|&port| port.to_owned()).collect();
                self.parts.push(VerilatedModule { module: (*name).to_owned(), parameters, ports });
                self.parts.len() as u32 - 1
            });
            self.kinds.push(kind);
            let mut open: HashSet<&str> = module.ports.iter().copied().collect();
            for &(port, to) in &instance.connections {
                if !open.remove(port) {
                    return Err(unknown(port));
                }
                let declared = &module.nets[port];
                let width = bits(declared.range, &values).ok_or_else(|| unknown(declared.range))?;
                let index = module.ports.iter().position(|&known| known == port).unwrap_or_default() as u32;
                self.connect(instance.name, port, (number, index), declared.direction, width, to)?;
            }
            if let Some(port) = open.iter().find(|&&port| module.nets[port].direction == Some(Direction::Input)) {
                return Err(PartsError::Open { instance: instance.name.to_owned(), port: (*port).to_owned() });
            }
        }
        Ok(())
    }

    fn connect(
        &mut self,
        instance: &str,
        port: &str,
        place: InstancePort,
        direction: Option<Direction>,
        width: u32,
        to: &'t str,
    ) -> Result<(), PartsError> {
        let of_net = self.bits_of(to);
        if let Some(expected) = of_net.filter(|&bits| bits != width) {
            let (instance, port) = (instance.to_owned(), port.to_owned());
            return Err(PartsError::Width { instance, port, found: width, expected });
        }
        match direction {
            Some(Direction::Input) if of_net.is_some() => self.readers.push((to, place)),
            Some(Direction::Input) => {
                // a tool would widen or cut it; here it must be a bit, as all that are written are
                let is_known =
                    WordIter(to).all(|word| word.as_bytes()[0].is_ascii_digit() || self.bits_of(word).is_some());
                if width != 1 || !is_known {
                    return Err(PartsError::Unknown { instance: instance.to_owned(), what: to.to_owned() });
                }
                let same = self.expressions.iter().position(|&text| text == to);
                let index = same.unwrap_or_else(|| {
                    self.expressions.push(to);
                    self.expressions.len() - 1
                });
                self.told.push((index, place));
            }
            _ if of_net.is_none() => {
                return Err(PartsError::Unknown { instance: instance.to_owned(), what: to.to_owned() });
            }
            _ => {
                if self.drivers.insert(to, place).is_some() {
                    return Err(PartsError::Twice { net: to.to_owned(), instance: instance.to_owned() });
                }
            }
        }
        Ok(())
    }

    /// Makes the head of what is left, and says how all are wired.
    fn wired(mut self, wiring: &Wiring) -> Result<VerilatedModules, PartsError> {
        let fabric = self.fabric;
        let texts = fabric.rest.iter().chain(&self.expressions);
        let used: HashSet<&str> = texts.flat_map(|text| WordIter(text)).collect();
        let read: HashSet<&str> = self.readers.iter().map(|&(net, _)| net).collect();
        let (mut ports, mut inside) = (Vec::new(), Vec::new());
        for &name in fabric.ports.iter().chain(&fabric.inside) {
            let net = fabric.nets[name];
            let direction = if net.direction == Some(Direction::Input) || self.drivers.contains_key(name) {
                "input"
            } else {
                "output"
            };
            let declared = |kind| Declared { kind, range: net.range, name: Cow::Borrowed(name) };
            match direction {
                "input" if used.contains(name) => {
                    self.readers.push((name, (HEAD, ports.len() as u32)));
                    ports.push(HeadPort { direction, declared: declared("wire"), expression: None });
                }
                "input" => {}
                _ if net.direction.is_some() || read.contains(name) => {
                    self.drivers.insert(name, (HEAD, ports.len() as u32));
                    ports.push(HeadPort { direction, declared: declared(net.kind), expression: None });
                }
                _ => inside.push(declared(net.kind)),
            }
        }
        let mut wires = Vec::new();
        for &(index, reader) in &self.told {
            wires.push(((HEAD, (ports.len() + index) as u32), reader));
        }
        for (index, &text) in self.expressions.iter().enumerate() {
            let name = Cow::Owned(format!("expression_{index}"));
            let declared = Declared { kind: "wire", range: "", name };
            ports.push(HeadPort { direction: "output", declared, expression: Some(text) });
        }
        self.drivers.insert("clk", CLOCK);
        let own_names = wiring.own.iter().map(|own| own.name.as_str());
        let outside = ["rst", "run"].into_iter().chain(own_names).chain(wiring.configuring().iter().copied());
        let outside: HashMap<&str, InstancePort> = outside.zip((0..).map(|port| (OUTSIDE, port))).collect();
        let driver = |net: &str| {
            let unknown = || PartsError::Unknown { instance: fabric.name.to_owned(), what: net.to_owned() };
            self.drivers.get(net).or_else(|| outside.get(net)).copied().ok_or_else(unknown)
        };
        for &(net, reader) in &self.readers {
            let (from, pin) = driver(net)?;
            // inputs must have the design's width whatever the text says: one bit, or a packet
            if from <= OUTSIDE {
                let is_own = from == OUTSIDE && (2..2 + wiring.own.len()).contains(&(pin as usize));
                let expected = if is_own { wiring.width } else { 1 };
                let found = self.bits_of(net).unwrap_or_default();
                if found != expected {
                    let (instance, port) = (fabric.name.to_owned(), net.to_owned());
                    return Err(PartsError::Width { instance, port, found, expected });
                }
            }
            wires.push(((from, pin), reader));
        }
        // nets by their drivers, in the order of visits
        wires.sort_unstable();
        let own = |end: &str| -> Result<Vec<InstancePort>, PartsError> {
            wiring.own.iter().map(|own| driver(&format!("{}{end}", own.name))).collect()
        };
        let mut seen = own("")?;
        for name in wiring.configuring() {
            seen.push(driver(name)?);
        }
        for (name, _) in &wiring.silent {
            seen.push(driver(name)?);
        }
        for (name, _) in &wiring.arrivals {
            seen.extend([driver(&format!("{name}_valid"))?, driver(&format!("{name}_data"))?]);
        }
        let takes = if wiring.streams { own("_take")? } else { Vec::new() };
        let flit: Vec<InstancePort> =
            fabric.nets.contains_key("flit").then(|| driver("flit")).transpose()?.into_iter().collect();
        let mut table = Vec::new();
        let words = wiring.own.iter().map(|_| wiring.word_bytes as u32);
        let sizes = [1, 1].into_iter().chain(words).chain(wiring.configuring().iter().map(|_| 1));
        list(&mut table, sizes.map(|size| [size]));
        list(&mut table, [0].iter().chain(&self.kinds).map(|&kind| [kind]));
        list(&mut table, wires.iter().map(|&((from, output), (to, input))| [from, output, to, input]));
        for places in [&seen, &takes, &flit] {
            list(&mut table, places.iter().map(|&(instance, port)| [instance, port]));
        }
        self.parts[0].ports = ports.iter().map(|port| port.declared.name.clone().into_owned()).collect();
        let head = Head { name: fabric.name, parameters: &fabric.parameters, ports, inside, rest: &fabric.rest };
        Ok(VerilatedModules { modules: self.parts, head: head.to_string(), table, instances: self.kinds.len() })
    }
}

/// The files of the modules of which a module has instances, each with a blank before it.
pub(super) fn instanced(files: &[(String, String)], module: &str) -> String {
    let Some((own, text)) = files.iter().find(|(path, _)| path.strip_suffix(".v") == Some(module)) else {
        return String::new();
    };
    let text = without_comments(text);
    let words: HashSet<&str> = WordIter(&text).collect();
    let others = files.iter().filter(|(path, _)| path != own);
    let used = others.filter(|(path, _)| path.strip_suffix(".v").is_some_and(|name| words.contains(name)));
    used.map(|(path, _)| format!(" {path}")).collect::<Vec<_>>().concat()
}

fn unread(module: &str) -> impl FnOnce(VerilogError) -> PartsError {
    let module = module.to_owned();
    |source| PartsError::Unread { module, source }
}

/// Appends the number of entries, then the entries.
fn list<const N: usize>(table: &mut Vec<u32>, entries: impl Iterator<Item = [u32; N]>) {
    let at = table.len();
    table.push(0);
    for entry in entries {
        table[at] += 1;
        table.extend(entry);
    }
}
