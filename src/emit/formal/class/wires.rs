//! Link ports of a fabric with one router, and how each is connected to the router as it was built.

use crate::emit::formal::class::{ClassInput, DrivenOutput};
use crate::net::Channel;
use crate::netlist::Router;

/// Link port of the fabric with one router, and its connection to the router as it was built.
pub struct RouterWire {
    pub port: String,
    pub kind: PortDirection,
    /// True if the question includes the valid bit.
    pub has_valid: bool,
    /// True if the router has the port.
    pub is_built: bool,
    /// Valid bit of the router's input, if it reads one.
    pub built_valid: Option<ValidDriver>,
}

/// Direction of a port.
#[derive(PartialEq, Eq)]
pub enum PortDirection {
    Input,
    Output,
}

/// Driver of a valid bit that the router reads.
#[derive(PartialEq, Eq)]
pub enum ValidDriver {
    /// The question's own.
    Asked,
    /// A constant: the program leaves no doubt that something has arrived.
    High,
}

/// Link ports that the question has, each connected to the router if that was built with it.
pub fn wires<'q>(
    built: &Router,
    inputs: impl Iterator<Item = (Channel, &'q ClassInput)>,
    outputs: impl Iterator<Item = (Channel, &'q DrivenOutput)>,
) -> Vec<RouterWire> {
    let inputs = inputs.map(|(channel, input)| RouterWire {
        port: input.port.clone(),
        kind: PortDirection::Input,
        has_valid: input.is_heard,
        is_built: built.inputs.contains(&channel),
        built_valid: built.hears(channel).then_some(if input.is_heard {
            ValidDriver::Asked
        } else {
            ValidDriver::High
        }),
    });
    let outputs = outputs.map(|(channel, output)| RouterWire {
        port: output.port.clone(),
        kind: PortDirection::Output,
        has_valid: true,
        is_built: built.output(channel).is_some(),
        built_valid: None,
    });
    inputs.chain(outputs).collect()
}
