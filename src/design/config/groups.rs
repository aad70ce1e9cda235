//! `groups:` of a config: the lines, planes or boxes of nodes that each have the collective for themselves.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::groups_error::GroupsError;
use super::network::{AxisName, LinkName, NetworkFields, NodePlace};
use crate::net::{AxisDirection, NodeId, Port, ShapeName, Sides, Topology};

/// Form of the groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupChoice {
    /// Nodes that differ along these axes only are a group.
    Axes(Vec<AxisName>),
    /// Nodes of a box with these sides are a group.
    Boxes(Vec<u32>),
}

/// Group of a network.
#[derive(Clone, Debug)]
pub struct GroupNetwork {
    /// Network of the nodes of a group, as a config has it.
    pub fields: NetworkFields,
    /// Network laid out.
    pub network: Topology,
    /// By axis of that network, the axis of the whole.
    pub axes: Vec<usize>,
    /// By node of that network, the node of the whole.
    pub places: Vec<NodeId>,
}

/// Shown as `x1,x2` or `2x4`: so it stands after a flag.
impl fmt::Display for GroupChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Axes(axes) => f.write_str(&axes.iter().map(AxisName::to_string).collect::<Vec<_>>().join(",")),
            Self::Boxes(sides) => Sides(sides).fmt(f),
        }
    }
}

impl FromStr for GroupChoice {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let axes = text.split(',').map(str::parse).collect::<Result<_, _>>();
        let sides = || text.split('x').map(|side| side.trim().parse()).collect::<Result<_, _>>();
        axes.map(Self::Axes).or_else(|_| sides().map(Self::Boxes)).map_err(drop)
    }
}

impl Serialize for GroupChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GroupChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GroupReader)
    }
}

struct GroupReader;

impl<'de> Visitor<'de> for GroupReader {
    type Value = GroupChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("groups like { axes: [x2] } or { boxes: [2, 4] }")
    }

    /// Side of the boxes on a network of one axis.
    fn visit_u64<E: de::Error>(self, side: u64) -> Result<GroupChoice, E> {
        let wrong = || E::invalid_value(de::Unexpected::Unsigned(side), &self);
        u32::try_from(side).ok().filter(|&side| side > 0).map(|side| GroupChoice::Boxes(vec![side])).ok_or_else(wrong)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<GroupChoice, E> {
        text.parse().map_err(|()| {
            E::custom(format_args!(
                "`{}` is no form of groups: expected axes like x2, or sides like 2x4",
                text.escape_debug()
            ))
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<GroupChoice, A::Error> {
        const KEYS: &[&str] = &["axes", "boxes"];
        let choice = match map.next_key::<String>()?.as_deref() {
            Some("axes") => GroupChoice::Axes(map.next_value()?),
            Some("boxes") => GroupChoice::Boxes(map.next_value()?),
            Some(key) => return Err(de::Error::unknown_field(key, KEYS)),
            None => return Err(de::Error::custom("no groups: expected { axes: [x2] } or { boxes: [2, 4] }")),
        };
        match map.next_key::<String>()? {
            None => Ok(choice),
            Some(_) => Err(de::Error::custom("groups have one form, `axes` or `boxes`")),
        }
    }
}

impl JsonSchema for GroupChoice {
    fn schema_name() -> Cow<'static, str> {
        "Groups".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let side = json_schema!({ "type": "integer", "minimum": 1 });
        let axis = json_schema!({ "type": "string", "pattern": "^x[1-9][0-9]*$" });
        let form = |key: &str, about: &str, item: Schema| {
            let list = json_schema!({ "description": about, "type": "array", "items": item, "minItems": 1 });
            json_schema!({
                "type": "object",
                "properties": { (key): list },
                "required": [key],
                "additionalProperties": false
            })
        };
        json_schema!({
            "description": "Lines, planes or boxes of nodes.",
            "anyOf": [
                { "type": "integer", "minimum": 1, "maximum": u32::MAX },
                { "type": "string", "pattern": "^ *(x[1-9][0-9]*( *, *x[1-9][0-9]*)*|[0-9]+( *x *[0-9]+)*) *$" },
                form("axes", "Axes along which the nodes of a group differ.", axis),
                form("boxes", "Sides of the box that the nodes of a group are.", side)
            ]
        })
    }
}

/// Groups of a network that would do, in words.
fn cure(whole: &Topology) -> String {
    let written = |choice: &GroupChoice| match choice {
        GroupChoice::Axes(_) => {
            format!("`groups: {{ axes: [{choice}] }}`, --groups {choice}, for lines along {choice}")
        }
        GroupChoice::Boxes(sides) => format!("`groups: {{ boxes: {sides:?} }}`, --groups {choice}, for boxes"),
    };
    let choices: Vec<String> = GroupChoice::of(whole).iter().map(written).collect();
    if choices.is_empty() {
        return "leave `groups` out, or take a network that is not twisted and can be cut, like --torus 6x8".to_owned();
    }
    format!("write it like {}", choices.join(", or like "))
}

impl GroupChoice {
    /// Sides of a group's box along each axis.
    fn sides(&self, whole: &Topology) -> Result<Vec<u32>, String> {
        let axes = whole.axes();
        let sides: Vec<u32> = match self {
            Self::Axes(named) => {
                if let Some(axis) = named.iter().find(|axis| axis.0 >= axes) {
                    return Err(format!("names {axis} of {axes} axes"));
                }
                let side = |axis| if named.contains(&AxisName(axis)) { whole.side(axis) } else { 1 };
                (0..axes).map(side).collect()
            }
            Self::Boxes(sides) => sides.clone(),
        };
        if sides.len() != axes {
            return Err("needs one side per axis".to_owned());
        }
        for (axis, (&side, &all)) in sides.iter().zip(whole.dims()).enumerate() {
            if all.checked_rem(side) != Some(0) {
                return Err(format!("does not divide the side of {all} along x{}", axis + 1));
            }
        }
        match sides.iter().product::<u32>() {
            1 => Err("leaves each node alone".to_owned()),
            nodes if nodes == whole.nodes() => Err("makes all nodes one group".to_owned()),
            _ => Ok(sides),
        }
    }

    /// Cuts a network into groups, each a network of its own; those without a live node are left out.
    pub fn cut(&self, whole: &Topology) -> Result<Vec<GroupNetwork>, ConfigError> {
        self.networks(whole).map_err(|reason| {
            let (typed, network) = (self.to_string(), whole.describe());
            GroupsError { typed, reason, network, cure: cure(whole) }.into()
        })
    }

    /// Lines and boxes into which a network can be cut, one of each kind if there is one.
    fn of(whole: &Topology) -> Vec<Self> {
        let does = |choice: &Self| choice.networks(whole).is_ok();
        let lines = (0..whole.axes()).rev().map(|axis| Self::Axes(vec![AxisName(axis)])).find(does);
        let least = |&side: &u32| (2..=side).find(|divisor| side.is_multiple_of(*divisor)).unwrap_or(1);
        let all: Vec<u32> = whole.dims().iter().map(least).collect();
        let flat = (0..whole.axes()).map(|axis| {
            let mut sides = all.clone();
            sides[axis] = 1;
            Self::Boxes(sides)
        });
        let boxes = std::iter::once(Self::Boxes(all.clone())).chain(flat).find(does);
        lines.into_iter().chain(boxes).collect()
    }

    fn networks(&self, whole: &Topology) -> Result<Vec<GroupNetwork>, String> {
        if !whole.lattice().is_diagonal() {
            return Err("requires a network that is not twisted".to_owned());
        }
        let sides = self.sides(whole)?;
        let counts: Vec<u32> = sides.iter().zip(whole.dims()).map(|(side, all)| all / side).collect();
        let axes: Vec<usize> = (0..whole.axes()).filter(|&axis| sides[axis] > 1).collect();
        let own: Vec<u32> = axes.iter().map(|&axis| sides[axis]).collect();
        let mut groups = Vec::new();
        for at in boxes(&counts) {
            let corner: Vec<u32> = at.iter().zip(&sides).map(|(at, side)| at * side).collect();
            let place = |inside: Vec<u32>| {
                let mut place = corner.clone();
                axes.iter().zip(inside).for_each(|(&axis, x)| place[axis] += x);
                whole.node(&place)
            };
            let places: Vec<NodeId> = boxes(&own).map(place).collect();
            if places.iter().all(|&node| !whole.is_live(node)) {
                continue;
            }
            let fields = network(whole, &axes, &own, &places);
            let network = fields
                .lay_out()
                .map_err(|error| format!("leaves no network to the group of {} ({error})", whole.show(places[0])))?;
            groups.push(GroupNetwork { fields, network, axes: axes.clone(), places });
        }
        Ok(groups)
    }
}

/// Network of some nodes in a box: an axis wraps if all of it is inside and it does in the whole, and what is dead is dead in it.
fn network(whole: &Topology, axes: &[usize], sides: &[u32], places: &[NodeId]) -> NetworkFields {
    let is_open = |&axis: &usize| whole.open().contains(&axes[axis]) || sides[axis] < whole.side(axes[axis]);
    let open: Vec<usize> = (0..axes.len()).filter(is_open).collect();
    let shape = match (axes.len(), open.len()) {
        (1, 0) => ShapeName::Cycle,
        (1, _) => ShapeName::Path,
        (axes, open) if axes == open => ShapeName::Mesh,
        _ => ShapeName::Torus,
    };
    let mut fields = NetworkFields::of(shape, sides.to_vec());
    if shape == ShapeName::Torus {
        fields.open = open.iter().copied().map(AxisName).collect();
    }
    let Some(dead) = whole.dead() else { return fields };
    let coordinates: Vec<Vec<u32>> = boxes(sides).collect();
    let inside = |node: NodeId| places.iter().position(|&place| place == node);
    let node = |&node: &NodeId| Some(NodePlace(coordinates[inside(node)?].clone()));
    // a link between a node inside and one outside is none of the group's
    let link = |&(node, port): &(NodeId, Port)| {
        let axis = axes.iter().position(|&axis| axis == port.axis())?;
        let at = &coordinates[inside(node)?];
        let end = if port.way() == AxisDirection::Plus { sides[axis] - 1 } else { 0 };
        let leaves = open.contains(&axis) && at[axis] == end;
        (!leaves).then(|| LinkName { at: NodePlace(at.clone()), port: Port::new(axis, port.way()) })
    };
    fields.dead.nodes = dead.nodes().iter().filter_map(node).collect();
    fields.dead.links = dead.named_links().iter().filter_map(link).collect();
    fields
}

/// Coordinates in a box of these sides, the last axis first.
fn boxes(sides: &[u32]) -> impl Iterator<Item = Vec<u32>> + '_ {
    let coordinates = |number: u32| {
        let mut rest = number;
        let mut at: Vec<u32> = sides.iter().rev().map(|side| (rest % side, rest /= side).0).collect();
        at.reverse();
        at
    };
    (0..sides.iter().product()).map(coordinates)
}
