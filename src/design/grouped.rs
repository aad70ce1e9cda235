//! Designs in which groups of nodes have the collective each for itself: those that look alike are built once, on a network of their
//! own, and then all play side by side.

use super::config::{Config, GroupChoice, GroupNetwork, HostChoice, LocalFields};
use super::support::building;
use super::{Design, DesignError};
use crate::net::{NodeId, Topology};
use crate::netlist::Crossbar;
use crate::schemes::{Built, SCHEMES, SchemeName};
use crate::task::Scheme;
use crate::transform::grouped::{self, GroupProgram};

/// Groups that look alike.
#[derive(Clone, Debug)]
pub struct GroupKind {
    /// Design of one of them, on its network.
    pub design: Design,
    /// By axis of its network, the axis of the whole.
    pub axes: Vec<usize>,
    /// By group, the node of the whole that each node of its network is.
    pub places: Vec<Vec<NodeId>>,
}

/// Program of all groups, with those that look alike.
type GroupedProgram = (Built, Vec<GroupKind>);

/// Config with groups, cut into them.
pub(super) struct GroupedConfig<'a> {
    config: &'a Config,
    topology: &'a Topology,
    choice: &'a GroupChoice,
    kinds: Vec<(GroupNetwork, Vec<Vec<NodeId>>)>,
}

impl<'a> GroupedConfig<'a> {
    pub(super) fn new(
        config: &'a Config,
        topology: &'a Topology,
        choice: &'a GroupChoice,
    ) -> Result<Self, DesignError> {
        let mut kinds: Vec<(GroupNetwork, Vec<Vec<NodeId>>)> = Vec::new();
        for group in choice.cut(topology)? {
            if let Some((_, places)) = kinds.iter_mut().find(|(kind, _)| kind.network == group.network) {
                places.push(group.places);
            } else {
                let places = vec![group.places.clone()];
                kinds.push((group, places));
            }
        }
        Ok(Self { config, topology, choice, kinds })
    }

    /// Design of the scheme that the config names, or of those that `auto` takes for each kind of group.
    pub(super) fn design(self, without: &[&'static dyn Scheme]) -> Result<Design, DesignError> {
        Design::supported(self.config, without.to_vec(), |without| self.built(without))
    }

    /// Programs of the scheme of the config for each kind of group; where `auto` takes some that do not go together, those of the one
    /// scheme that is fastest for all.
    fn built(&self, without: &[&'static dyn Scheme]) -> Result<GroupedProgram, DesignError> {
        if let Some(built) = self.by(self.config, without)? {
            return Ok(built);
        }
        let is_open = self.config.scheme == SchemeName::default();
        let candidates = SCHEMES.iter().filter(|scheme| is_open && !without.contains(scheme));
        let of_scheme = |&scheme: &&'static dyn Scheme| {
            let config = Config { scheme: SchemeName::One(scheme), ..self.config.clone() };
            self.by(&config, without).ok().flatten()
        };
        candidates.filter_map(of_scheme).min_by_key(|(built, _)| built.program.ticks).ok_or_else(|| {
            let problem = format!(
                "`{}` makes groups that dead parts leave with schedules of other packets or adders",
                self.choice
            );
            let help = "name a `scheme` that takes as many packets on the network of each, or take other groups";
            building::GROUPS.refusal_with(problem, help).into()
        })
    }

    /// Programs of all kinds of groups side by side; none if they do not go together.
    fn by(&self, config: &Config, without: &[&'static dyn Scheme]) -> Result<Option<GroupedProgram>, DesignError> {
        let design = |(group, places): &(GroupNetwork, Vec<Vec<NodeId>>)| {
            let design = Design::without(config.of_group(group), without)?;
            Ok(GroupKind { design, axes: group.axes.clone(), places: places.clone() })
        };
        let kinds: Vec<GroupKind> = self.kinds.iter().map(design).collect::<Result<_, DesignError>>()?;
        if let Some(kind) = kinds.iter().find(|kind| kind.design.protocol().is_some()) {
            let problem = format!("not supported with {}", kind.design.scheme.about().name);
            return Err(building::GROUPS_AT_RUN_TIME.refusal(problem).into());
        }
        let programs = kinds.iter().map(|kind| GroupProgram {
            program: &kind.design.program,
            axes: kind.axes.clone(),
            places: kind.places.clone(),
        });
        let first = &kinds[0].design;
        let title = first.program.title.clone();
        let program = grouped::side_by_side(title, self.topology, &programs.collect::<Vec<_>>());
        let reason = first.reason.clone();
        Ok(program.map(|program| (Built { scheme: first.scheme, program, reason }, kinds)))
    }
}

impl Config {
    /// Config of the collective in one group, without all that the whole has beside its schedule.
    fn of_group(&self, group: &GroupNetwork) -> Self {
        let mut own = Self {
            name: Some(self.name()),
            topology: group.fields.clone(),
            groups: None,
            host: HostChoice::default(),
            local: LocalFields::default(),
            crossbar: Crossbar::default(),
            own: None,
            bist: false,
            ..self.clone()
        };
        own.link = own.link.on_one_device();
        own
    }

    /// Network of each group; the whole if there are no groups.
    pub(super) fn networks(&self, whole: &Topology) -> Result<Vec<Topology>, DesignError> {
        let Some(choice) = &self.groups else { return Ok(vec![whole.clone()]) };
        let groups = choice.cut(whole)?;
        Ok(groups.into_iter().map(|group| group.network).collect())
    }
}

impl Design {
    /// Design of a node's group, and the node that it is there; the design itself if there are no groups.
    pub fn in_group(&self, node: NodeId) -> (&Self, NodeId) {
        let found = self.groups.iter().find_map(|kind| {
            let at = kind.places.iter().find_map(|places| places.iter().position(|&place| place == node))?;
            Some((&kind.design, NodeId(at as u32)))
        });
        found.unwrap_or((self, node))
    }

    /// Design of the first group on its own network; the design itself if there are no groups.
    pub fn of_group(&self) -> &Self {
        self.groups.first().map_or(self, |kind| &kind.design)
    }
}
