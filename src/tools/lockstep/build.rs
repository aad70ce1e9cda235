//! Builds the simulator: RTL to C++ by Verilator, C++ to a shared object by the compiler, two jobs at a time.

mod listed;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::LockstepError;
use super::cache::Cache;
use super::dut;
use super::parts::{VerilatedModules, instanced};
use super::toolchain::{ALWAYS, COMPILER, Toolchain};
use super::wiring::Wiring;
use crate::emit::{self, Files};
use crate::files;
use crate::program::Program;
use crate::tools::{Running, finished, run, tool_in};

/// Our C++ beside what Verilator writes, for each design.
const SHIM: &str = "shim.cpp";
/// Headers that the shims of fabrics and of parts include.
const SHARED: [(&str, &str); 2] =
    [("shim.h", include_str!("../../../sim/shim.h")), ("parts.h", include_str!("../../../sim/parts.h"))];
/// Our C++ that is the same for every design.
const OF_ALL: (&str, &str) = ("exports", include_str!("../../../sim/exports.cpp"));
const OF_PARTS: (&str, &str) = ("parts", include_str!("../../../sim/parts.cpp"));
const EXPORTED: &str = "shim.map";
const EXPORTS: &str = include_str!("../../../sim/shim.map");
/// Compiling with optimisation takes so many times as long as without.
const OPTIMISING: u64 = 3;
/// Number of register-ticks above which compiler optimisation pays.
const OPTIMISE_ABOVE: u64 = 100_000_000;
/// Number of register-ticks above which optimisation pays for parts, which are small to compile.
const OPTIMISE_PARTS_ABOVE: u64 = 400_000;
/// Statements a C++ file, so that two compilers have something to do.
const SPLIT: &str = "20000";
const JOBS: usize = 2;
/// A compiler takes a tenth of a second to begin: a second one pays above so many bytes of C++.
const SHARE_ABOVE: u64 = 400_000;
const OPTIMISED: &str = "-O1";
const PLAIN: &str = "-O0";
/// File for a fabric without its instances.
const HEAD: &str = "head.v";
/// Tells Verilator what is to be seen from outside.
const PUBLIC: &str = "public.vlt";

/// Inputs of a simulator's build.
pub(super) struct Recipe {
    /// by path: Verilog, our shim, and what is written for it
    files: Vec<(String, String)>,
    /// our C++ that it shares with others
    fixed: Vec<(&'static str, &'static str)>,
    /// the arguments of each run of Verilator
    runs: Vec<String>,
    /// the compiler's: how to optimise first
    flags: Vec<&'static str>,
    /// true if a C++ file runs in every tick, or is so small that it does not matter
    is_fast: fn(&str) -> bool,
}

impl Recipe {
    /// Recipe that Verilates the fabric as a whole.
    pub fn of_fabric(
        program: &Program,
        wiring: &Wiring,
        options: &emit::Options,
        mut files: Vec<(String, String)>,
    ) -> Self {
        let sources: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
        let mut verilated = vec![
            format!("--cc --prefix Vfabric --Mdir . --output-split {SPLIT} --top-module {}", program.title.name),
            sources.join(" "),
        ];
        if options.protocol.is_some() {
            files.push((PUBLIC.to_owned(), public_registers(program, &sources)));
            verilated.insert(1, PUBLIC.to_owned());
        }
        files.push((SHIM.to_owned(), include_str!("../../../sim/shim.cpp").to_owned()));
        files.push(("inputs.inc".to_owned(), wiring.lines()));
        let runs = vec![verilated.join(" ")];
        let mut flags = vec![optimisation(program, OPTIMISE_ABOVE)];
        flags.extend((program.flits > 1).then_some("-DHAS_FLIT"));
        Self { files, fixed: vec![OF_ALL], runs, flags, is_fast: runs_in_every_tick }
    }

    /// Recipe that Verilates each part by itself.
    pub fn of_parts(program: &Program, parts: &VerilatedModules, mut files: Vec<(String, String)>) -> Self {
        // modules that a router instantiates are Verilated with it
        let beside: Vec<String> = parts.modules[1..].iter().map(|part| instanced(&files, &part.module)).collect();
        let is_used = |path: &str| {
            let is_part = parts.modules[1..].iter().any(|part| path.strip_suffix(".v") == Some(&part.module));
            is_part || beside.iter().any(|beside| beside.split(' ').any(|other| other == path))
        };
        files.retain(|(path, _)| is_used(path));
        files.push((HEAD.to_owned(), parts.head.clone()));
        let (mut runs, mut includes, mut models) = (Vec::new(), String::new(), String::new());
        for (number, part) in parts.modules.iter().enumerate() {
            let model = format!("Vpart{number}");
            let source = match number.checked_sub(1) {
                None => HEAD.to_owned(),
                Some(index) => format!("{}.v{}", part.module, beside[index]),
            };
            let given: Vec<String> = part.parameters.iter().map(|(name, value)| format!("-G{name}={value} ")).collect();
            runs.push(format!(
                "--cc --prefix {model} --Mdir . --output-split {SPLIT} --top-module {} {}{source}",
                part.module,
                given.concat()
            ));
            includes += &format!("#include \"{model}.h\"\n");
            let ports: Vec<String> = part.ports.iter().map(|port| format!("PORT({port})\n")).collect();
            models += &format!("PART({model})\n{}END\n", ports.concat());
        }
        files.push((SHIM.to_owned(), include_str!("../../../sim/models.cpp").to_owned()));
        files.push(("models.h".to_owned(), includes));
        files.push(("models.inc".to_owned(), models));
        let flags = vec![optimisation(program, OPTIMISE_PARTS_ABOVE)];
        Self { files, fixed: vec![OF_ALL, OF_PARTS], runs, flags, is_fast: |_| true }
    }

    /// Builds the program in `folder`, unless it has been built before.
    pub fn program(&self, tools: &Toolchain, folder: &Path) -> Result<PathBuf, LockstepError> {
        let cache = Cache::of(tools);
        let all = self.all();
        let program = folder.join("served");
        if !cache.as_ref().is_some_and(|cache| cache.copy_simulator(&all, &program)) {
            let mut link = tool_in(folder, COMPILER);
            link.args(["-pthread", "-o"]).arg(&program).args(self.objects(tools, folder, cache.as_ref())?);
            run(COMPILER, COMPILER, &mut link)?;
            // an object that cannot be cached is built again the next time
            if let (Some(cache), Ok(program)) = (&cache, fs::read(&program)) {
                let _ = cache.keep_simulator(&all, &program);
            }
        }
        #[cfg(unix)]
        fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        Ok(program)
    }

    /// Builds the simulator in `folder`, unless it has been built before; returns the shared object. What was kept and does not
    /// load is made again: the compiler may have been another program of the same name.
    pub fn simulator(&self, tools: &Toolchain, folder: &Path) -> Result<PathBuf, LockstepError> {
        let cache = Cache::of(tools);
        let all = self.all();
        if let Some(cache) = &cache {
            let kept = folder.join("kept.so");
            if cache.copy_simulator(&all, &kept) {
                if dut::loads(&kept).is_ok() {
                    return Ok(kept);
                }
                cache.forget();
            }
        }
        let mut library = self.build(tools, folder, cache.as_ref())?;
        if let (Err(_), Some(cache)) = (dut::loads(&library), &cache) {
            cache.forget();
            let folder = folder.join("again");
            fs::create_dir(&folder)?;
            library = self.build(tools, &folder, Some(cache))?;
        }
        dut::loads(&library)?;
        // an object that cannot be stored is built again next time
        if let (Some(cache), Ok(object)) = (&cache, fs::read(&library)) {
            let _ = cache.keep_simulator(&all, &object);
        }
        Ok(library)
    }

    /// Everything that a simulator is made from, but for the toolchain.
    fn all(&self) -> String {
        let texts = self.files.iter().flat_map(|(path, text)| [path.as_str(), text]);
        let ours = SHARED.iter().chain(&self.fixed).map(|&(_, text)| text).chain([EXPORTS]);
        let all = texts.chain(ours).chain(self.runs.iter().map(String::as_str)).chain(self.flags.iter().copied());
        all.collect::<Vec<_>>().join("\0")
    }

    fn build(&self, tools: &Toolchain, folder: &Path, cache: Option<&Cache>) -> Result<PathBuf, LockstepError> {
        let library = folder.join("simulator.so");
        let objects = self.objects(tools, folder, cache)?;
        let mut link = tool_in(folder, COMPILER);
        link.args(["-shared", "-pthread", "-o"]).arg(&library).args(&objects);
        run(COMPILER, COMPILER, link.arg(format!("-Wl,--version-script={EXPORTED}")))?;
        Ok(library)
    }

    /// Verilates and compiles everything.
    fn objects(&self, tools: &Toolchain, folder: &Path, cache: Option<&Cache>) -> Result<Vec<PathBuf>, LockstepError> {
        let written = self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        for (path, text) in written.chain(SHARED).chain([(EXPORTED, EXPORTS)]) {
            fs::write(folder.join(path), text)?;
        }
        for batch in self.runs.chunks(JOBS) {
            let start =
                |line: &String| Running::start("verilator", "verilator", tools.verilator(folder).args(line.split(' ')));
            let running: Vec<Running> = batch.iter().map(start).collect::<Result<_, _>>()?;
            for verilator in running {
                finished("verilator", verilator.wait()?)?;
            }
        }
        let mut objects = compile_once(tools, folder, cache, &self.fixed)?;
        objects.extend(self.compile_verilated(tools, folder, cache)?);
        Ok(objects)
    }

    /// Compiles what Verilator wrote, our shim with it. Only what runs in every tick is optimised, if anything is.
    fn compile_verilated(
        &self,
        tools: &Toolchain,
        folder: &Path,
        cache: Option<&Cache>,
    ) -> Result<Vec<PathBuf>, LockstepError> {
        let is_optimised = self.flags[0] == OPTIMISED;
        let plain = [&[PLAIN], &self.flags[1..]].concat();
        let mut objects = Vec::new();
        for (kind, flags, above) in [("fast", &self.flags, SHARE_ABOVE / OPTIMISING), ("slow", &plain, SHARE_ABOVE)] {
            let is_one = |name: &str| (is_optimised && (self.is_fast)(name)) == (kind == "fast");
            let units = join_units(folder, kind, above, is_one)?;
            if !units.is_empty() {
                if let Some(cache) = cache {
                    compile_headers(tools, folder, cache, flags)?;
                }
                objects.extend(compile(tools, folder, &units, flags)?);
            }
        }
        Ok(objects)
    }
}

/// The files of the RTL: paths and texts.
pub(super) fn rtl(program: &Program, options: &emit::Options) -> io::Result<Vec<(String, String)>> {
    collected(|files| emit::write_rtl(program, options, files))
}

/// Paths and texts of the files that are written.
pub(super) fn collected(write: impl FnOnce(&mut dyn Files) -> io::Result<()>) -> io::Result<Vec<(String, String)>> {
    struct FileCollector(Vec<(String, Vec<u8>)>);
    impl Files for FileCollector {
        fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
            self.0.push((path.to_owned(), Vec::new()));
            Ok(Box::new(&mut self.0.last_mut().expect("just pushed").1))
        }
    }
    let mut files = FileCollector(Vec::new());
    write(&mut files)?;
    let text = |(path, bytes)| Ok((path, String::from_utf8(bytes).map_err(io::Error::other)?));
    files.0.into_iter().map(text).collect()
}

/// Makes the routers' output registers visible, without a word in the RTL.
fn public_registers(program: &Program, sources: &[String]) -> String {
    let modules = sources.iter().filter_map(|path| path.strip_suffix(".v"));
    let nodes = modules.filter(|module| *module != program.title.name);
    let lines: Vec<String> =
        nodes.map(|module| format!("public_flat_rd -module \"{module}\" -var \"*_out*\"\n")).collect();
    format!("`verilator_config\n{}", lines.concat())
}

/// Selects the code that runs in every tick of a whole fabric; its other files may be large.
fn runs_in_every_tick(name: &str) -> bool {
    !name.contains("__Slow") && !name.contains("__Syms") && name != SHIM
}

/// Joins some of the C++ files into one file, or above so many bytes into a file for each job.
fn join_units(folder: &Path, kind: &str, above: u64, is_one: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        if path.extension().is_some_and(|end| end == "cpp") && is_one(&name) {
            files.push((fs::metadata(&path)?.len(), name));
        }
    }
    // the largest first, each to the job with less to do
    files.sort_unstable_by(|a, b| b.cmp(a));
    let jobs = if files.iter().map(|&(size, _)| size).sum::<u64>() > above { JOBS } else { 1 };
    let mut units = vec![(0, String::new()); jobs.min(files.len())];
    for (size, name) in files {
        let (load, text) = units.iter_mut().min_by_key(|(load, _)| *load).expect("there is a job");
        *load += size;
        // each model has a header that refuses another such header before it, as a compiler would not have it precompiled
        *text += &format!("#undef VL_PCH_INCLUDED\n#include \"{name}\"\n");
    }
    let mut paths = Vec::new();
    for (index, (_, text)) in units.iter().enumerate() {
        let path = folder.join(format!("{kind}{index}.cc"));
        fs::write(&path, text)?;
        paths.push(path);
    }
    Ok(paths)
}

fn optimisation(program: &Program, above: u64) -> &'static str {
    if program.link_ticks() > above { OPTIMISED } else { PLAIN }
}

/// The compiler, with all that does not depend on the unit.
fn compiler(tools: &Toolchain, folder: &Path, flags: &[&str]) -> Command {
    let mut command = tool_in(folder, COMPILER);
    command.args(ALWAYS).args(flags);
    for include in ["include", "include/vltstd"] {
        command.arg("-I").arg(tools.root.join(include));
    }
    command.arg("-I.");
    command
}

/// All that what Verilator writes includes, for what is compiled with these flags, of which no macro of ours matters to it.
fn headers(flags: &[&str]) -> String {
    format!("headers{}", flags[0])
}

/// Compiles Verilator's headers: to read them takes half a second a unit. Without a cache it would have to be done each time.
fn compile_headers(tools: &Toolchain, folder: &Path, cache: &Cache, flags: &[&str]) -> Result<(), LockstepError> {
    let headers = headers(flags);
    fs::write(folder.join(format!("{headers}.h")), "#include \"verilated.h\"\n#include \"verilated_syms.h\"\n")?;
    let compiled = folder.join(format!("{headers}.h.gch"));
    if cache.place(&headers, &compiled) {
        return Ok(());
    }
    let mut command = compiler(tools, folder, &flags[..1]);
    run(COMPILER, COMPILER, command.args(["-x", "c++-header", "-o"]).arg(&compiled).arg(format!("{headers}.h")))?;
    let _ = cache.put(&headers, &fs::read(&compiled)?);
    Ok(())
}

/// Compiles C++ files, a few at a time.
fn compile(tools: &Toolchain, folder: &Path, units: &[PathBuf], flags: &[&str]) -> Result<Vec<PathBuf>, LockstepError> {
    let headers = headers(flags);
    let has_headers = folder.join(format!("{headers}.h.gch")).is_file();
    let mut objects = Vec::new();
    for batch in units.chunks(JOBS) {
        let mut running = Vec::new();
        for unit in batch {
            let object = folder.join(unit.file_name().expect("a file has a name")).with_extension("o");
            let mut command = compiler(tools, folder, flags);
            if has_headers {
                command.arg("-include").arg(format!("{headers}.h"));
            }
            command.arg("-c").arg("-o").arg(&object).arg(unit);
            running.push(Running::start(COMPILER, COMPILER, &mut command)?);
            objects.push(object);
        }
        for compiler in running {
            finished(COMPILER, compiler.wait()?)?;
        }
    }
    Ok(objects)
}

/// Verilator's run-time library and our own C++ that is the same for every design: compiled once where it can be kept.
fn compile_once(
    tools: &Toolchain,
    folder: &Path,
    cache: Option<&Cache>,
    fixed: &[(&str, &str)],
) -> Result<Vec<PathBuf>, LockstepError> {
    const LIBRARY: [&str; 2] = ["verilated", "verilated_threads"];
    let library = LIBRARY.map(|unit| (unit.to_owned(), tools.root.join("include").join(unit).with_extension("cpp")));
    let mut units = library.to_vec();
    for (unit, text) in fixed {
        let path = folder.join(unit).with_extension("cc");
        fs::write(&path, text)?;
        let texts: Vec<&str> = SHARED.iter().map(|&(_, text)| text).chain([*text]).collect();
        units.push((format!("{unit}-{}", &files::sha256(texts.concat().as_bytes())[..32]), path));
    }
    let (mut objects, mut missing) = (Vec::new(), Vec::new());
    for (name, source) in units {
        let object = folder.join(&name).with_extension("o");
        if cache.is_some_and(|cache| cache.place(&name, &object)) {
            objects.push(object);
        } else {
            missing.push((name, source));
        }
    }
    let sources: Vec<PathBuf> = missing.iter().map(|(_, source)| source.clone()).collect();
    let compiled = compile(tools, folder, &sources, &[OPTIMISED])?;
    for ((name, _), object) in missing.iter().zip(&compiled) {
        // an object that cannot be stored is compiled again next time
        if let (Some(cache), Ok(bytes)) = (cache, fs::read(object)) {
            let _ = cache.put(name, &bytes);
        }
    }
    objects.extend(compiled);
    Ok(objects)
}
