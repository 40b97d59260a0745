//! A port for what is solved once and used again.

/// A store of values, which need not be reliable: what it returns is checked.
pub trait Cache: Sync {
    /// The value that is kept under a key of 64 hexadecimal digits.
    fn get(&self, key: &str) -> Option<Vec<u8>>;
    /// Keeps a value.
    ///
    /// # Errors
    /// The reason why it cannot be kept.
    fn put(&self, key: &str, value: &[u8]) -> Result<(), String>;
}
