//! A sparse table with one row of numbers for each law or register. The position of a part of a policy stores only the rows
//! of the laws in that part, so that the positions of all parts together are no larger than one position of the policy.

use std::ops::{Index, IndexMut};

/// For each law or register a row of numbers. Rows that are not set are empty and take no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The rows that are set, by increasing numbers.
    set: Vec<(usize, Vec<u32>)>,
}

/// The row of all numbers without one.
static EMPTY: Vec<u32> = Vec::new();

impl Rows {
    /// The place of a row: constant if all rows before it are set, else logarithmic.
    fn place(&self, number: usize) -> Result<usize, usize> {
        if self.set.get(number).is_some_and(|(own, _)| *own == number) {
            return Ok(number);
        }
        self.set.binary_search_by_key(&number, |(own, _)| *own)
    }
    /// The rows that are set, by increasing numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.set.iter().map(|(_, row)| row)
    }
    /// The rows that are set, with their numbers.
    pub fn enumerate_mut(&mut self) -> impl Iterator<Item = (usize, &mut Vec<u32>)> {
        self.set.iter_mut().map(|(number, row)| (*number, row))
    }
}

impl Index<usize> for Rows {
    type Output = Vec<u32>;
    fn index(&self, number: usize) -> &Vec<u32> {
        self.place(number).map_or(&EMPTY, |place| &self.set[place].1)
    }
}

/// A row that is not set is set to an empty one.
impl IndexMut<usize> for Rows {
    fn index_mut(&mut self, number: usize) -> &mut Vec<u32> {
        let place = self.place(number).unwrap_or_else(|place| {
            self.set.insert(place, (number, Vec::new()));
            place
        });
        &mut self.set[place].1
    }
}

/// The rows of the numbers from 0 on.
impl FromIterator<Vec<u32>> for Rows {
    fn from_iter<I: IntoIterator<Item = Vec<u32>>>(rows: I) -> Self {
        Self { set: rows.into_iter().enumerate().collect() }
    }
}

impl From<Vec<Vec<u32>>> for Rows {
    fn from(rows: Vec<Vec<u32>>) -> Self {
        rows.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_not_set_are_empty() {
        let mut rows = Rows::default();
        rows[7] = vec![1, 2];
        rows[2].push(3);
        assert_eq!((&rows[7], &rows[2], &rows[0], &rows[900]), (&vec![1, 2], &vec![3], &vec![], &vec![]));
        assert_eq!(rows.iter().collect::<Vec<_>>(), [&vec![3], &vec![1, 2]]);
        let all = Rows::from(vec![vec![0], vec![1], vec![2]]);
        assert_eq!((0..3).map(|number| all[number][0]).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
