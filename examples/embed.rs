//! A program that embeds torusweave: from a text of YAML to checked Verilog and a picture, all in memory.
//!
//! `cargo run --no-default-features --example embed` builds it without the command line.

use std::error::Error;

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

fn main() -> Result<(), Box<dyn Error>> {
    let design = WholeDesign::from_yaml(CONFIG).map_err(|error| format!("{error}\nhelp: {}", error.help()))?;
    for (part, report) in design.designs().iter().zip(design.check()) {
        assert!(report.passed(), "{:?}", report.violations);
        println!("{}: {} ticks, bound {}", part.config.collective, part.program.ticks, part.bound().ticks);
    }
    let files = design.files()?;
    let verilog = files.keys().filter(|path| path.ends_with(".v")).count();
    println!("{} files of {}, {verilog} of them Verilog", files.len(), design.name());
    let picture = design.draw(0, PictureKind::Tree.into())?;
    println!("a picture of {} bytes", picture.len());
    Ok(())
}
