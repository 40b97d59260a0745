//! Randomness that is the same everywhere for the same seed.

/// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators", figure 16). Not
/// for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`, which is not 0. The bias is below n / 2⁶⁴.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    /// True with this probability, from 0 to 1. Always takes one number of the sequence.
    pub fn chance(&mut self, probability: f64) -> bool {
        // The upper 53 bits, which a double holds exactly.
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        unit < probability
    }
    /// True or false.
    pub fn flip(&mut self) -> bool {
        self.bits() >> 63 == 1
    }
}
