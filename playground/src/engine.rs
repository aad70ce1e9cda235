//! Answers to a page: designs from YAML, and all that is shown of them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use rawzip::ZipArchiveWriter;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use torusweave::check::{self, CheckReport};
use torusweave::design::Design;
use torusweave::design::config::{CollectiveName, Config, FIELDS, NamedValue, PlainField};
use torusweave::design::listed::ProgramsError;
use torusweave::draw::{report, times};
use torusweave::net::Topology;
use torusweave::schemes::{Built, SCHEMES, SchemeName};
use torusweave::task::{About, Scheme};
use torusweave::whole::{ScheduleFigures, WholeDesign};

/// Networks of more nodes take longer than a page should: the command line has no such limit.
const MOST_NODES: u32 = 1024;

/// What a page asks.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
enum Request {
    /// The fields of a config, with their values and defaults.
    Fields,
    /// The design of a config; later requests are about it.
    Design { yaml: String },
    /// The report of one of its programs, a page of its own.
    Report { program: usize },
    /// The schemes that one of its programs may take.
    Schemes { program: usize },
    /// The text of a file.
    File { path: String },
    /// All files.
    Zip,
}

/// Answers requests about one design after the other.
pub struct Engine {
    design: Option<BuiltDesign>,
}

/// Verdict on a program, and how much its nodes knew at the times of the report.
type CheckedProgram = (CheckReport, Vec<Vec<u64>>);

/// A design with its files.
struct BuiltDesign {
    whole: WholeDesign,
    checked: Vec<CheckedProgram>,
    files: BTreeMap<String, Vec<u8>>,
}

/// Figures of a program.
#[derive(Serialize)]
struct ProgramSummary {
    collective: String,
    scheme: String,
    #[serde(flatten)]
    figures: ScheduleFigures,
    because: String,
    correct: bool,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// No design is there yet.
    pub const fn new() -> Self {
        Self { design: None }
    }

    /// Answers a request: JSON, or the bytes of a file.
    pub fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        let request: Request = match serde_json::from_slice(request) {
            Ok(request) => request,
            Err(error) => return failed(&format!("not a request: {error}"), ""),
        };
        match request {
            Request::Fields => json_bytes(&fields()),
            Request::Design { yaml } => match self.build(&yaml) {
                Ok(answer) => json_bytes(&answer),
                Err(refusal) => refusal,
            },
            Request::Report { program } => {
                self.of_program(program, |design, (report, known)| report::page(design, report, known, "").into_bytes())
            }
            Request::Schemes { program } => self.of_program(program, |design, _| json_bytes(&schemes(design))),
            Request::File { path } => self.of_design(|built| {
                built.files.get(&path).cloned().unwrap_or_else(|| failed("there is no such file", ""))
            }),
            Request::Zip => self.of_design(|built| {
                zipped(built).unwrap_or_else(|error| failed(&format!("the files cannot be packed: {error}"), ""))
            }),
        }
    }

    fn of_design(&self, answer: impl FnOnce(&BuiltDesign) -> Vec<u8>) -> Vec<u8> {
        self.design.as_ref().map_or_else(|| failed("there is no design yet", ""), answer)
    }

    fn of_program(&self, program: usize, answer: impl FnOnce(&Design, &CheckedProgram) -> Vec<u8>) -> Vec<u8> {
        let of = |built: &BuiltDesign| Some(answer(built.whole.designs().get(program)?, built.checked.get(program)?));
        self.of_design(|built| of(built).unwrap_or_else(|| failed("there is no such program", "")))
    }

    /// Builds a design and tells what it is; a refusal is bytes.
    fn build(&mut self, yaml: &str) -> Result<Value, Vec<u8>> {
        self.design = None;
        let refused = |error: ProgramsError| failed(&error.to_string(), &error.help());
        let config = Config::of_file(Path::new("the config"), yaml).map_err(|error| refused(error.into()))?;
        let topology = config.validate().map_err(|error| refused(error.into()))?;
        let told = serde_json::to_value(&config).expect("a config is plain data");
        if topology.nodes() > MOST_NODES {
            let problem = format!("{} nodes are too many for a page: it takes {MOST_NODES}", topology.nodes());
            return Err(failed(&problem, "write the config to a file and run `torusweave generate FILE`"));
        }
        let whole = WholeDesign::of(config).map_err(refused)?;
        let files = whole.files().map_err(|error| failed(&error.to_string(), ""))?;
        let listed: Vec<Value> = files.iter().map(|(path, bytes)| json!([path, bytes.len()])).collect();
        let checked = |design: &Design| check::by_execution_seen(&design.program, &times(&design.program), &|_| {});
        let checked: Vec<CheckedProgram> = whole.designs().iter().map(checked).collect();
        let programs: Vec<ProgramSummary> = whole.designs().iter().zip(&checked).map(ProgramSummary::of).collect();
        let network = undamaged(&told).map(|whole| network(&topology, &whole));
        let answer = json!({
            "name": whole.name(),
            "config": told,
            "network": network,
            "programs": programs,
            "files": listed,
        });
        self.design = Some(BuiltDesign { whole, checked, files });
        Ok(answer)
    }
}

impl ProgramSummary {
    fn of((design, (report, _)): (&Design, &CheckedProgram)) -> Self {
        Self {
            collective: design.config.collective.to_string(),
            scheme: design.scheme.to_string(),
            figures: ScheduleFigures::of(design),
            because: design.bound().due_to.to_string(),
            correct: report.passed(),
        }
    }
}

fn fields() -> Value {
    let field = |field: &PlainField| {
        let values: Vec<Value> = field.values.iter().map(value).collect();
        json!({ "path": field.path, "about": field.about, "values": values, "default": field.default })
    };
    FIELDS.iter().map(field).collect()
}

/// A value there is to choose; of a collective, what it needs besides.
fn value(NamedValue { name, about, .. }: &NamedValue) -> Value {
    let mut told = json!({ "name": name, "about": about });
    if let Ok(collective) = serde_json::from_value::<CollectiveName>(json!(name)) {
        let planned = collective.planned();
        told["rooted"] = planned.has_root().into();
        told["combines"] = planned.is_reduction().into();
    }
    told
}

/// The network of a config before anything of it died.
fn undamaged(config: &Value) -> Option<Topology> {
    let mut config = config.clone();
    config["topology"].as_object_mut()?.remove("dead");
    serde_json::from_value::<Config>(config).ok()?.validate().ok()
}

/// Nodes by their coordinates, links by both ends; what is dead is there, too.
fn network(topology: &Topology, whole: &Topology) -> Value {
    let nodes: Vec<Value> =
        whole.node_ids().map(|node| json!({ "at": topology.coords(node), "live": topology.is_live(node) })).collect();
    let mut links = Vec::new();
    for node in whole.node_ids() {
        for port in whole.port_ids().filter(|port| port.index() % 2 == 1) {
            if let Some(there) = whole.step(node, port) {
                let live = topology.step(node, port).is_some();
                let name = format!("{} {port}", topology.show(node));
                links.push(json!({ "from": node.0, "to": there.0, "port": port.index(), "name": name, "live": live }));
            }
        }
    }
    json!({ "sides": topology.dims(), "nodes": nodes, "links": links })
}

/// Schemes that apply to the task of a design, the fastest first.
fn schemes(design: &Design) -> Vec<Value> {
    let task = design.task();
    let built = |scheme: &'static dyn Scheme| {
        let Built { program, .. } = SchemeName::One(scheme).build(&task, "any").ok()?;
        Some((program.steps(), scheme.about()))
    };
    let mut all: Vec<(u32, About)> = SCHEMES.iter().copied().filter_map(built).collect();
    all.sort_by_key(|(steps, _)| *steps);
    let taken = design.scheme.about().name;
    let row = |(steps, About { name, summary, .. })| json!({ "name": name, "about": summary, "steps": steps, "taken": name == taken });
    all.into_iter().map(row).collect()
}

/// All files of a design in a folder of its name.
fn zipped(BuiltDesign { whole, files, .. }: &BuiltDesign) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut packed);
    for (path, bytes) in files {
        let name = format!("{}/{path}", whole.name());
        let (mut entry, config) = archive.new_file(name.as_str()).start().map_err(io::Error::other)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(bytes)?;
        let (_, written) = writer.finish().map_err(io::Error::other)?;
        entry.finish(written).map_err(io::Error::other)?;
    }
    archive.finish().map_err(io::Error::other)?;
    Ok(packed)
}

fn json_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain data")
}

fn failed(problem: &str, help: &str) -> Vec<u8> {
    json_bytes(&json!({ "error": { "problem": problem, "help": help } }))
}
