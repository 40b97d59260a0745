//! Where the slots of things and containers are.

/// The slots of things, by their places in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Things {
    /// How many things are in the hands.
    pub(super) hands: usize,
    pub(super) hands_hold: u32,
    /// Where each thing is.
    pub(super) objects: Vec<usize>,
    pub(super) containers: Vec<Container>,
    /// The number of places: 1 in a world without a map.
    pub(super) places: u32,
}

/// A container.
#[derive(Clone, Debug)]
pub(super) struct Container {
    pub(super) place: Option<usize>,
    /// The fact that it is open, if it can be closed.
    pub(super) open: Option<usize>,
    /// How many things are in it.
    pub(super) count: usize,
    pub(super) capacity: u32,
}

/// An index as the value of a slot.
pub(super) fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Things {
    /// The value of a thing's slot if the thing is at this place.
    pub(super) fn at(place: usize) -> u32 {
        1 + number(place)
    }
    /// The value of a thing's slot if the thing is in this container.
    pub(super) fn inside(&self, container: usize) -> u32 {
        1 + self.places + number(container)
    }
}
