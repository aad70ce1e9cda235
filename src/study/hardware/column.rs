//! The words of a table bit by bit, each as a function of the address.

use std::collections::BTreeSet;

use crate::netlist::{Coding, Sequence, WordStretch};

/// A bit of the words by the address, in parts of sixteen addresses: a LUT tells no more apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressColumn(Vec<u16>);

/// The bits of the address that a LUT sees.
const ADDRESS: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

impl AddressColumn {
    /// The bits of what the entries say, for addresses of so many bits; beyond the last entry as the last.
    pub fn all(sequence: &Sequence, address: u32) -> Vec<Self> {
        let bits = sequence.fields.iter().map(|field| field.bits).enumerate();
        let bits = bits.flat_map(|(field, bits)| (0..bits).map(move |bit| (field, bit)));
        let index = |place: u32| match sequence.coding {
            Coding::Steps if !(place + 1).is_power_of_two() => usize::MAX,
            Coding::Steps => place.trailing_ones() as usize,
            Coding::Plain | Coding::RunLength => place as usize,
        };
        let entry = |place: u32| sequence.entries.get(index(place)).or(sequence.entries.last());
        let is_set = |place, field: usize, bit| {
            entry(place).is_some_and(|entry: &WordStretch| entry.values[field] >> bit & 1 == 1)
        };
        bits.map(|(field, bit)| Self::of(address, |place| is_set(place, field, bit))).collect()
    }

    /// A bit of the address, for addresses of so many bits.
    pub fn address(bit: u32, address: u32) -> Self {
        Self::of(address, |place| place >> bit & 1 == 1)
    }

    fn of(address: u32, is_set: impl Fn(u32) -> bool) -> Self {
        let parts = 1 << address.saturating_sub(4);
        // fewer than sixteen addresses come round again
        let bit = |place: u32| u16::from(is_set(place % (1 << address))) << (place % 16);
        Self((0..parts).map(|part| (16 * part..16 * part + 16).map(bit).sum()).collect())
    }

    /// Returns true if the bit is constant.
    pub fn is_constant(&self) -> bool {
        self.0.iter().all(|&part| is_constant(part) && part == self.0[0])
    }

    /// The functions of four bits of the address that it is made of, but for constants and these bits themselves.
    pub fn functions(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().copied().filter(|part| !is_constant(*part) && !ADDRESS.contains(part))
    }

    /// Multiplexers of two that choose between them by the upper bits of the address, those with equal inputs left out.
    pub fn choices(&self) -> u64 {
        let mut seen: BTreeSet<&[u16]> = BTreeSet::new();
        let mut open = vec![self.0.as_slice()];
        while let Some(parts) = open.pop() {
            if parts.len() > 1 && seen.insert(parts) {
                let (low, high) = parts.split_at(parts.len() / 2);
                open.extend([low, high]);
            }
        }
        seen.into_iter().filter(|parts| parts[..parts.len() / 2] != parts[parts.len() / 2..]).count() as u64
    }
}

fn is_constant(part: u16) -> bool {
    part == 0 || part == u16::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_columns_and_address_bits_take_no_lut() {
        let plain = AddressColumn::of(6, |place| place == 40);
        assert_eq!((plain.is_constant(), plain.functions().count(), plain.choices()), (false, 1, 2));
        assert!(AddressColumn::of(6, |_| true).is_constant());
        assert_eq!(AddressColumn::address(2, 6).functions().count(), 0);
        assert_eq!((AddressColumn::address(5, 6).functions().count(), AddressColumn::address(5, 6).choices()), (0, 1));
        assert_eq!(
            AddressColumn::address(1, 3),
            AddressColumn::of(4, |place| place >> 1 & 1 == 1),
            "eight addresses, twice"
        );
    }
}
