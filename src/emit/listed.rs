//! Design of a list of programs as files: the RTL of `templates/listed/`, its list, benches, and the files that describe it to software.

mod component;
mod lists;
pub(in crate::emit) mod one;

use std::io;

use crate::emit::bench::nodes as bench;
use crate::emit::host::{self, describe};
use crate::emit::node::sizes::WireSizes;
use crate::emit::node::{Bus, ListDesign, boards, elements, memories, network, stores, top};
use crate::emit::selftest::streams;
use crate::emit::shared::files::{DesignPart, Files, write};
use crate::emit::shared::output::{FileType, OutputFile};

impl ListDesign<'_> {
    /// Files, each module after those that it uses. The host's bytes are there for every bus: they are what is simulated.
    pub(in crate::emit) fn files(&self) -> Vec<OutputFile<'_>> {
        let sizes = WireSizes::of(self);
        let mut files = stores::files(self, &sizes);
        files.extend(memories::files(self, &sizes));
        files.extend(boards::files(self));
        files.extend(top::files(self, &sizes));
        if !self.is_one() && self.bus != Bus::Streams {
            files.extend(host::modules::files(self, sizes));
        }
        files
    }

    /// Files to synthesise: the RTL, and the self-test if the config asks for it.
    fn synthesised(&self) -> Vec<OutputFile<'_>> {
        let mut files = self.files();
        if self.has_self_test {
            files.extend(streams::files(self));
        }
        files
    }

    /// Description that the driver reads.
    pub(in crate::emit) fn description(&self) -> OutputFile<'_> {
        describe::json(self)
    }

    /// Paths of the RTL.
    pub fn rtl(&self) -> Vec<String> {
        self.files().into_iter().map(|file| file.path).collect()
    }

    /// Module whose bytes are those of the lines, and its files: all boards together, if there are several.
    pub fn simulated(&self) -> (String, Vec<String>) {
        let joined = network::file(self).map(|file| file.path);
        let top = if joined.is_some() { network::module(self.name) } else { self.module("host") };
        (top, self.rtl().into_iter().chain(joined).collect())
    }

    /// Writes the RTL, and the module with all boards beside it.
    pub fn write_with_all_nodes(&self, files: &mut dyn Files) -> io::Result<()> {
        self.write_rtl(files)?;
        network::file(self).iter().try_for_each(|file| write(file, files))
    }

    /// Writes the RTL alone.
    pub fn write_rtl(&self, files: &mut dyn Files) -> io::Result<()> {
        self.files().iter().try_for_each(|file| write(file, files))
    }

    /// Name of the testbench, and what it prints if every word of so many runs is right, or of as many as it plays if it is not told;
    /// none of several boards with hosts.
    pub fn verdict(&self, runs: Option<u32>) -> Option<(String, String)> {
        bench::verdict(self, runs)
    }

    /// Testbench, and the files that it reads.
    pub(in crate::emit) fn benches(&self) -> Vec<OutputFile<'_>> {
        bench::files(self)
    }

    /// Files for the user to edit, if the config asks for them.
    pub(in crate::emit) fn elements(&self) -> Vec<OutputFile<'_>> {
        elements::files(self)
    }

    /// Every file of some parts, the RTL first.
    fn all(&self, parts: &[DesignPart]) -> Vec<OutputFile<'_>> {
        let rtl = self.synthesised();
        let has_rtl = parts.contains(&DesignPart::Rtl);
        let listed: String = rtl.iter().filter(|_| has_rtl).map(|file| file.path.clone() + "\n").collect();
        let list = listing(self.name, listed.clone());
        let elements = elements::files(self);
        let edited: String = elements.iter().map(|file| file.path.clone() + "\n").collect();
        let top = (!elements.is_empty()).then(|| listing(&self.module("top"), listed + &edited));
        let files = rtl.into_iter().chain([list]).chain(elements).chain(top);
        let files = files.chain(bench::files(self)).chain(network::file(self)).chain(network::with_elements(self));
        let files = files.chain(network::with_self_tests(self));
        let files = files.chain(describe::files(self)).chain(lists::files(self, parts));
        files.filter(|file| parts.contains(&DesignPart::of(file.kind))).collect()
    }

    /// Paths of all files of some parts.
    pub fn paths(&self, parts: &[DesignPart]) -> Vec<String> {
        self.all(parts).into_iter().map(|file| file.path).collect()
    }

    /// Writes all files of some parts.
    pub fn write(&self, parts: &[DesignPart], files: &mut dyn Files) -> io::Result<()> {
        self.all(parts).iter().try_for_each(|file| write(file, files))
    }
}

/// A list of paths, one per line.
fn listing<'d>(name: &str, paths: String) -> OutputFile<'d> {
    OutputFile::streamed(format!("{name}.f"), FileType::List, move |out| out.write_all(paths.as_bytes()))
}
