//! Builds the simulator: RTL to C++ by Verilator, C++ to a shared object by the compiler, two jobs at a time.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::LockstepError;
use super::cache::Cache;
use super::toolchain::{COMPILER, Toolchain};
use super::wiring::Wiring;
use crate::emit::{self, Files};
use crate::program::Program;
use crate::tools::{Running, finished, run, tool_in};

/// Changes an RTL file's text, given its path.
pub type Mutation<'a> = &'a dyn Fn(&str, String) -> String;

const SHIM: &str = include_str!("../../../sim/shim.cpp");
const EXPORTS: &str = include_str!("../../../sim/shim.map");
/// Compiling with optimisation takes three times as long as without: it pays above so many register-ticks.
const OPTIMISE_ABOVE: u64 = 100_000_000;
/// Statements a C++ file, so that two compilers have something to do.
const SPLIT: &str = "20000";
const JOBS: usize = 2;

/// Builds the simulator of a program's RTL in `folder`; returns the shared object.
pub(super) fn simulator(
    tools: &Toolchain,
    program: &Program,
    wiring: &Wiring,
    options: &emit::Options,
    folder: &Path,
    mutation: Mutation<'_>,
) -> Result<PathBuf, LockstepError> {
    let sources = write_rtl(program, options, folder, mutation)?;
    fs::write(folder.join("public.vlt"), public_registers(program, &sources))?;
    fs::write(folder.join("shim.cpp"), SHIM)?;
    fs::write(folder.join("shim.map"), EXPORTS)?;
    fs::write(folder.join("inputs.inc"), wiring.lines())?;
    let mut verilate = tools.verilator(folder);
    verilate
        .args(["--cc", "--prefix", "Vfabric", "--Mdir", ".", "--output-split", SPLIT, "--top-module"])
        .arg(&program.title.name)
        .arg("public.vlt")
        .args(&sources);
    run("verilator", "verilator", &mut verilate)?;
    let units = join_units(folder)?;
    let mut objects = compile(tools, folder, &units, &flags(program))?;
    objects.extend(run_time_library(tools, folder)?);
    let library = folder.join("simulator.so");
    let mut link = tool_in(folder, COMPILER);
    link.args(["-shared", "-pthread", "-Wl,--version-script=shim.map", "-o"]).arg(&library).args(&objects);
    run(COMPILER, COMPILER, &mut link)?;
    Ok(library)
}

/// Writes the RTL, changed by the mutation; returns the file names.
fn write_rtl(
    program: &Program,
    options: &emit::Options,
    folder: &Path,
    mutation: Mutation<'_>,
) -> io::Result<Vec<String>> {
    struct Collect(Vec<(String, Vec<u8>)>);
    impl Files for Collect {
        fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
            self.0.push((path.to_owned(), Vec::new()));
            Ok(Box::new(&mut self.0.last_mut().expect("just pushed").1))
        }
    }
    let mut files = Collect(Vec::new());
    emit::write_rtl(program, options, &mut files)?;
    for (path, bytes) in &files.0 {
        let text = String::from_utf8(bytes.clone()).map_err(io::Error::other)?;
        fs::write(folder.join(path), mutation(path, text))?;
    }
    Ok(files.0.into_iter().map(|(path, _)| path).collect())
}

/// Makes the routers' output registers visible, without a word in the RTL.
fn public_registers(program: &Program, sources: &[String]) -> String {
    let modules = sources.iter().filter_map(|path| path.strip_suffix(".v"));
    let nodes = modules.filter(|module| *module != program.title.name);
    let lines: Vec<String> =
        nodes.map(|module| format!("public_flat_rd -module \"{module}\" -var \"*_out*\"\n")).collect();
    format!("`verilator_config\n{}", lines.concat())
}

/// Joins the C++ files, our shim among them, into a file for each job: parsing Verilator's headers once a file would
/// take most of the time.
fn join_units(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "cpp") {
            files.push((fs::metadata(&path)?.len(), path));
        }
    }
    // the largest first, each to the job with less to do
    files.sort_unstable_by(|a, b| b.cmp(a));
    let mut units = vec![(0, String::new()); JOBS];
    for (size, path) in files {
        let (load, text) = units.iter_mut().min_by_key(|(load, _)| *load).expect("there is a job");
        *load += size;
        *text += &format!("#include \"{}\"\n", path.file_name().expect("a file has a name").to_string_lossy());
    }
    let mut paths = Vec::new();
    for (index, (_, text)) in units.iter().enumerate() {
        let path = folder.join(format!("unit{index}.cc"));
        fs::write(&path, text)?;
        paths.push(path);
    }
    Ok(paths)
}

fn flags(program: &Program) -> Vec<&'static str> {
    let work = program.topology.links() * u64::from(program.ticks);
    let optimise = if work > OPTIMISE_ABOVE { "-O1" } else { "-O0" };
    [Some(optimise), (program.flits > 1).then_some("-DHAS_FLIT")].into_iter().flatten().collect()
}

/// Compiles C++ files, a few at a time.
fn compile(tools: &Toolchain, folder: &Path, units: &[PathBuf], flags: &[&str]) -> Result<Vec<PathBuf>, LockstepError> {
    let mut objects = Vec::new();
    for batch in units.chunks(JOBS) {
        let mut running = Vec::new();
        for unit in batch {
            let object = folder.join(unit.file_name().expect("a file has a name")).with_extension("o");
            let mut command = tool_in(folder, COMPILER);
            command.args(["-c", "-fPIC", "-std=c++17", "-fvisibility=hidden", "-w"]).args(flags);
            for include in ["include", "include/vltstd"] {
                command.arg("-I").arg(tools.root.join(include));
            }
            command.arg("-I.").arg("-o").arg(&object).arg(unit);
            running.push(Running::start(COMPILER, COMPILER, &mut command)?);
            objects.push(object);
        }
        for compiler in running {
            finished(COMPILER, compiler.wait()?)?;
        }
    }
    Ok(objects)
}

/// Verilator's run-time library, compiled once where it can be kept.
fn run_time_library(tools: &Toolchain, folder: &Path) -> Result<Vec<PathBuf>, LockstepError> {
    const UNITS: [&str; 2] = ["verilated", "verilated_threads"];
    let cache = Cache::of(tools);
    let kept: Option<Vec<Vec<u8>>> =
        cache.as_ref().and_then(|cache| UNITS.into_iter().map(|unit| cache.get(unit)).collect());
    if let Some(objects) = kept {
        let write = |(unit, object): (&str, Vec<u8>)| {
            let path = folder.join(unit).with_extension("o");
            fs::write(&path, object).map(|()| path)
        };
        return Ok(UNITS.into_iter().zip(objects).map(write).collect::<io::Result<_>>()?);
    }
    let sources = UNITS.map(|unit| tools.root.join("include").join(unit).with_extension("cpp"));
    let objects = compile(tools, folder, &sources, &["-O1"])?;
    for (unit, object) in UNITS.into_iter().zip(&objects) {
        // what cannot be kept is compiled again the next time
        if let (Some(cache), Ok(bytes)) = (&cache, fs::read(object)) {
            let _ = cache.put(unit, &bytes);
        }
    }
    Ok(objects)
}
