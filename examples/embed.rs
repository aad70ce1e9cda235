//! A program that embeds torusweave: from a text of YAML to checked Verilog and a picture, all in memory.
//!
//! `cargo run --no-default-features --example embed` builds it without the command line.

use std::error::Error;
use std::path::Path;

use torusweave::draw::PictureKind;
use torusweave::whole::WholeDesign;

const CONFIG: &str = "
topology: { torus: [4, 6] }
programs:
  - { collective: gossip }
  - { collective: all-reduce, operation: sum, count: 2 }
host: { bus: streams }
link: { width: 16 }
";

/// Builds the design, and says what it is.
pub fn told() -> Result<String, Box<dyn Error>> {
    let design = WholeDesign::from_yaml(CONFIG).map_err(|error| format!("{error}\nhelp: {}", error.help()))?;
    let mut told = String::new();
    for (part, report) in design.designs().iter().zip(design.check()) {
        assert!(report.passed(), "{:?}", report.violations);
        let (name, ticks) = (&part.config.collective, part.program.ticks);
        told += &format!("{name}: {ticks} ticks, bound {}\n", part.bound().ticks);
    }
    let files = design.files()?;
    let verilog = files.keys().filter(|path| Path::new(path).extension().is_some_and(|end| end == "v")).count();
    told += &format!("{} files of {}, {verilog} of them Verilog\n", files.len(), design.name());
    told += &format!("a picture of {} bytes\n", design.draw(0, PictureKind::Tree.into())?.len());
    Ok(told)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", told()?);
    Ok(())
}
