//! Many sessions at once.
