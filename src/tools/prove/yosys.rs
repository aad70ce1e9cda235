//! Yosys and yosys-smtbmc: from Verilog and assertions to a solver's verdict.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::ProveError;
use super::z3::Z3;
use crate::emit::formal::{Induction, Question};
use crate::emit::{self, Files, Options};
use crate::program::Program;
use crate::tools::{ToolError, ended, finished, run};

const YOSYS: &str = "yosys";
const SMTBMC: &str = "yosys-smtbmc";
/// Words with which yosys ends if an assertion fails.
const DISPROVED: &str = "Called with -verify and proof did fail!";
/// Steps that are asked about at once where all is to hold. The all-reduce of a 6x7 torus, 43 steps, takes two thirds of what it takes
/// step by step.
const AT_ONCE: u32 = 32;

/// Yosys, its bounded model checker and a solver.
#[derive(Clone, Debug)]
pub struct Prover {
    command: &'static str,
    yosys: String,
    z3: String,
}

/// Verdict of the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverVerdict {
    /// Every assertion holds in every step.
    Holds,
    /// An assertion fails.
    Fails {
        /// In which step, counted from 0, where the registers hold anything.
        step: u32,
        /// Name of the assertion.
        assertion: String,
    },
}

impl Prover {
    /// Finds the tools.
    pub fn find() -> Result<Self, ToolError> {
        let output = run(YOSYS, YOSYS, Command::new(YOSYS).arg("-V"))?;
        // yosys exits with a failure when asked for help
        let there = Command::new(SMTBMC).arg("-h").output();
        there.map_err(|source| ToolError::Missing { tool: SMTBMC, package: YOSYS, source })?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = said.split_whitespace().nth(1).unwrap_or("of an unknown version").to_owned();
        Ok(Self { command: YOSYS, yosys: version, z3: Z3::find()?.version().to_owned() })
    }

    /// `yosys 0.23 and Z3 4.8.12`
    pub fn describe(&self) -> String {
        format!("yosys {} and Z3 {}", self.yosys, self.z3)
    }

    /// Runs a script on some RTL, in `folder`.
    pub(super) fn script(&self, rtl: &YosysFiles, script: &str, folder: &Path) -> Result<(), ProveError> {
        fs::write(folder.join("script.ys"), script)?;
        let mut yosys = Command::new(self.command);
        yosys.current_dir(folder).arg("-q").args(rtl.paths()).args(["-s", "script.ys"]);
        run(YOSYS, YOSYS, &mut yosys)?;
        Ok(())
    }

    /// Asks about some RTL that is to fail, in `folder`: step by step, so that the first one says it.
    pub fn refute(&self, rtl: &YosysFiles, question: &Question, folder: &Path) -> Result<SolverVerdict, ProveError> {
        self.translate(rtl, question, folder)?;
        check(question, 1, folder)
    }

    /// Asks about some RTL that is to be right, in `folder`: about many steps at once, and if one fails, which is the first. What is
    /// assumed of a step is about what comes in there, so that it leaves no step before it out.
    pub fn prove(&self, rtl: &YosysFiles, question: &Question, folder: &Path) -> Result<SolverVerdict, ProveError> {
        self.translate(rtl, question, folder)?;
        match check(question, if question.one_by_one { 1 } else { AT_ONCE }, folder)? {
            SolverVerdict::Holds => Ok(SolverVerdict::Holds),
            fails if question.one_by_one => Ok(fails),
            SolverVerdict::Fails { .. } => check(question, 1, folder),
        }
    }

    /// Asks yosys, which solves by itself, in `folder`: true if every assertion holds.
    pub fn induct(&self, question: &Induction, folder: &Path) -> Result<bool, ProveError> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join(format!("{}.sv", question.module)), &question.text)?;
        for (module, text) in &question.rtl {
            fs::write(folder.join(format!("{module}.v")), text)?;
        }
        fs::write(folder.join("script.ys"), &question.script)?;
        let mut yosys = Command::new(self.command);
        let output = ended(YOSYS, YOSYS, yosys.current_dir(folder).args(["-q", "-s", "script.ys"]))?;
        if String::from_utf8_lossy(&output.stderr).contains(DISPROVED) {
            return Ok(false);
        }
        finished(YOSYS, output)?;
        Ok(true)
    }

    /// Puts a question about some RTL as SMT-LIB.
    fn translate(&self, rtl: &YosysFiles, question: &Question, folder: &Path) -> Result<(), ProveError> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join(format!("{}.sv", question.module)), &question.text)?;
        self.script(rtl, &question.script, folder)
    }
}

/// Asks what was translated, about so many steps at once.
fn check(question: &Question, at_once: u32, folder: &Path) -> Result<SolverVerdict, ProveError> {
    let mut smtbmc = Command::new(SMTBMC);
    smtbmc.current_dir(folder).args(["-s", "z3", "-t", &format!("0:{at_once}:{}", question.steps)]);
    if question.one_by_one {
        // functions of states, one in the other, are more than Z3 answers in minutes where units are two in a row
        smtbmc.arg("--unroll");
    }
    let output = ended(SMTBMC, YOSYS, smtbmc.arg(format!("{}.smt2", question.module)))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(SolverVerdict::Holds);
    }
    let Some(assertion) = said.lines().find_map(|line| line.split_once("Assert failed in ")) else {
        finished(SMTBMC, output)?;
        return Ok(SolverVerdict::Holds);
    };
    let step = |line: &str| line.rsplit_once(" in step ")?.1.trim_end_matches('.').parse().ok();
    Ok(SolverVerdict::Fails { step: said.lines().rev().find_map(step).unwrap_or(0), assertion: assertion.1.to_owned() })
}

/// The fabric and its routers as files.
pub struct YosysFiles {
    folder: PathBuf,
    files: Vec<String>,
}

impl YosysFiles {
    /// Writes them into a new folder.
    pub fn write(program: &Program, options: &Options, folder: PathBuf) -> io::Result<Self> {
        struct PathCollector<'f>(&'f Path, Vec<String>);
        impl Files for PathCollector<'_> {
            fn file(&mut self, path: &str) -> io::Result<Box<dyn io::Write + '_>> {
                self.1.push(path.to_owned());
                Ok(Box::new(fs::File::create(self.0.join(path))?))
            }
        }
        fs::create_dir_all(&folder)?;
        let mut files = PathCollector(&folder, Vec::new());
        emit::write_rtl(program, options, &mut files)?;
        let files = files.1;
        Ok(Self { folder, files })
    }

    /// Writes texts by their paths into a new folder.
    pub fn of(files: &[(String, String)], folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        for (path, text) in files {
            fs::write(folder.join(path), text)?;
        }
        Ok(Self { folder, files: files.iter().map(|(path, _)| path.clone()).collect() })
    }

    fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| self.folder.join(file))
    }
}
