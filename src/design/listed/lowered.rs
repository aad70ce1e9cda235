//! Lowering of the programs of a list, together, or one of them alone.

use super::{Programs, ProgramsError, ring};
use crate::design::Design;
use crate::design::config::{Config, ProgramChoice, RootChoice};
use crate::design::support::{self, building};
use crate::netlist::NodePorts;
use crate::netlist::listed::{ListNetlist, Resident, Together};

impl Programs {
    /// Lowers the programs of a config together.
    pub(super) fn lowered(config: &Config, designs: &[Design]) -> Result<ListNetlist, ProgramsError> {
        let is_moved = |choice: &ProgramChoice| choice.root == Some(RootChoice::Any);
        let programs = designs.iter().zip(&config.programs);
        let programs: Vec<Resident> = programs
            .map(|(design, choice)| Resident {
                program: &design.program,
                is_moved: is_moved(choice),
                roots: design.roots(),
            })
            .collect();
        let at_once = config.together()?;
        let netlist = ListNetlist::with_ports(&programs, &at_once, config.node_ports(), config.link.elastic)
            .map_err(|error| support::not_lowered(&error))?;
        ring::refuse_many_words(config, &netlist)?;
        Ok(netlist)
    }

    /// Programs that are played at once, each with the ticks after which it begins; none if a config has no such programs.
    pub fn together_of(config: &Config, designs: &[Design]) -> Result<Vec<Together>, ProgramsError> {
        if config.together.is_empty() { Ok(Vec::new()) } else { Ok(Self::lowered(config, designs)?.together) }
    }
}

/// The program of a design as nodes play it, or the reason why they cannot.
pub(super) fn alone(
    design: &Design,
    program: usize,
    is_moved: bool,
    ports: NodePorts,
) -> Result<ListNetlist, ProgramsError> {
    if design.protocol().is_some() {
        let problem = format!("not supported with {}", design.scheme.about().name);
        return Err(building::RUN_TIME.refusal_of_program(program, problem).into());
    }
    let alone = Resident { program: &design.program, is_moved, roots: design.roots() };
    ListNetlist::with_ports(&[alone], &[], ports, false)
        .map_err(|error| support::not_lowered(&error.of_program(program)).into())
}
