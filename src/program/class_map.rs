//! Class of every node, one byte per node: hardly any program has more than 256 classes.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Index;

use super::ClassId;
use crate::net::NodeId;

/// The class of every node, in the smallest integers that hold them; it reads like a slice of [`ClassId`].
#[derive(Clone, Debug)]
pub struct ClassMap(Ids);

#[derive(Clone, Debug)]
enum Ids {
    Bytes(Vec<u8>),
    Words(Vec<ClassId>),
}

/// Class numbers for the 256 byte values, so that indexing can return a reference.
static BYTES: [ClassId; 256] = {
    let mut ids = [ClassId(0); 256];
    let mut id = 0;
    while id < ids.len() {
        ids[id] = ClassId(id as u32);
        id += 1;
    }
    ids
};

impl ClassMap {
    /// Map that gives class 0 to every node.
    pub fn uniform(nodes: usize) -> Self {
        Self(Ids::Bytes(vec![0; nodes]))
    }

    /// No node yet, and room for some.
    pub fn with_capacity(nodes: usize) -> Self {
        Self(Ids::Bytes(Vec::with_capacity(nodes)))
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Ids::Bytes(ids) => ids.len(),
            Ids::Words(ids) => ids.len(),
        }
    }

    /// Returns true if there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The classes in the order of the nodes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ClassId> + Clone + '_ {
        (0..self.len()).map(|node| &self[node])
    }

    /// The classes of so many nodes after one another, again and again.
    pub fn chunks(&self, nodes: usize) -> impl ExactSizeIterator<Item = Vec<ClassId>> + '_ {
        let all = self.len();
        (0..all).step_by(nodes).map(move |first| (first..all.min(first + nodes)).map(|node| self[node]).collect())
    }

    /// The class of a node, if it is in the map.
    pub fn get(&self, node: NodeId) -> Option<ClassId> {
        (node.index() < self.len()).then(|| self[node.index()])
    }

    /// Gives a node another class.
    pub fn set(&mut self, node: NodeId, class: ClassId) {
        match (&mut self.0, u8::try_from(class.0)) {
            (Ids::Bytes(ids), Ok(class)) => ids[node.index()] = class,
            (Ids::Words(ids), _) => ids[node.index()] = class,
            (Ids::Bytes(_), Err(_)) => {
                self.widen();
                self.set(node, class);
            }
        }
    }

    /// Adds a node.
    pub fn push(&mut self, class: ClassId) {
        match (&mut self.0, u8::try_from(class.0)) {
            (Ids::Bytes(ids), Ok(class)) => ids.push(class),
            (Ids::Words(ids), _) => ids.push(class),
            (Ids::Bytes(_), Err(_)) => {
                self.widen();
                self.push(class);
            }
        }
    }

    /// Forgets all nodes after so many.
    pub fn truncate(&mut self, nodes: usize) {
        match &mut self.0 {
            Ids::Bytes(ids) => ids.truncate(nodes),
            Ids::Words(ids) => ids.truncate(nodes),
        }
    }

    /// Calls every class by another name: `names` has the new one of each.
    pub fn rename(&mut self, names: &[ClassId]) {
        let narrow: Option<Vec<u8>> = names.iter().map(|name| u8::try_from(name.0).ok()).collect();
        match (&mut self.0, narrow) {
            (Ids::Bytes(ids), Some(names)) => ids.iter_mut().for_each(|id| *id = names[usize::from(*id)]),
            _ => *self = self.iter().map(|id| names[id.index()]).collect(),
        }
    }

    fn widen(&mut self) {
        self.0 = Ids::Words(self.iter().copied().collect());
    }
}

impl Index<usize> for ClassMap {
    type Output = ClassId;

    fn index(&self, node: usize) -> &ClassId {
        match &self.0 {
            Ids::Bytes(ids) => &BYTES[usize::from(ids[node])],
            Ids::Words(ids) => &ids[node],
        }
    }
}

impl<'a> IntoIterator for &'a ClassMap {
    type Item = &'a ClassId;
    type IntoIter = Box<dyn Iterator<Item = &'a ClassId> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl FromIterator<ClassId> for ClassMap {
    fn from_iter<I: IntoIterator<Item = ClassId>>(classes: I) -> Self {
        let classes = classes.into_iter();
        let mut map = Self::with_capacity(classes.size_hint().0);
        classes.for_each(|class| map.push(class));
        map
    }
}

impl PartialEq for ClassMap {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Ids::Bytes(one), Ids::Bytes(two)) => one == two,
            _ => self.iter().eq(other.iter()),
        }
    }
}

impl Eq for ClassMap {}

/// Numbers what nodes do, in the order in which it first occurs.
#[derive(Clone, Debug)]
pub struct ClassNumbers<T> {
    ids: HashMap<T, ClassId>,
    class_of: ClassMap,
}

impl<T> Default for ClassNumbers<T> {
    fn default() -> Self {
        Self { ids: HashMap::new(), class_of: ClassMap::with_capacity(0) }
    }
}

impl<T: Eq + Hash> ClassNumbers<T> {
    /// Adds what the next node does.
    pub fn push(&mut self, kind: T) {
        let next = ClassId(self.ids.len() as u32);
        self.class_of.push(*self.ids.entry(kind).or_insert(next));
    }

    /// Everything that nodes do, by number, and the number of each node.
    pub fn finish(self) -> (Vec<T>, ClassMap) {
        let mut kinds: Vec<(T, ClassId)> = self.ids.into_iter().collect();
        kinds.sort_unstable_by_key(|&(_, id)| id);
        (kinds.into_iter().map(|(kind, _)| kind).collect(), self.class_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_maps_return_stored_classes_at_every_width() {
        for classes in [1, 256, 257, 70_000] {
            let ids = || (0..100_000).map(|node| ClassId(node % classes));
            let map: ClassMap = ids().collect();
            assert_eq!(matches!(map.0, Ids::Bytes(_)), classes <= 256);
            assert!(map.iter().copied().eq(ids()));
            assert!(map.chunks(7).flatten().eq(ids()));
        }
    }

    #[test]
    fn renaming_gives_every_node_the_new_name_of_its_class() {
        for classes in [3, 300] {
            let map = || (0..1000).map(|node| ClassId(node % classes)).collect::<ClassMap>();
            for least in [0, 1000] {
                let names: Vec<ClassId> = (0..classes).map(|class| ClassId(least + class / 2)).collect();
                let mut renamed = map();
                renamed.rename(&names);
                assert!(renamed.iter().copied().eq(map().iter().map(|class| names[class.index()])));
            }
        }
    }

    #[test]
    fn a_class_beyond_a_byte_widens_the_map_and_changes_nothing_else() {
        let mut map = ClassMap::uniform(3);
        map.set(NodeId(1), ClassId(300));
        assert!(map.iter().copied().eq([0, 300, 0].map(ClassId)));
        map.set(NodeId(1), ClassId(0));
        assert_eq!(map, ClassMap::uniform(3));
    }
}
