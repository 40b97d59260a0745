//! Runs deep recursions on a separate stack.

/// Why there is no result.
#[derive(Debug)]
pub enum NoResult {
    /// The system has no thread or no memory for the stack.
    NoStack(std::io::Error),
    /// The work panicked.
    Panic(Box<dyn std::any::Any + Send>),
}

/// Runs `work` on a stack of this size, in a separate thread. WebAssembly has neither: there the work runs on the stack
/// that the module was linked with, and a panic ends the program.
///
/// # Errors
/// No stack, or a panic.
pub fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Result<T, NoResult> {
    if cfg!(target_family = "wasm") {
        return Ok(work());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("work".into()).stack_size(bytes);
        let thread = thread.spawn_scoped(scope, work).map_err(NoResult::NoStack)?;
        thread.join().map_err(NoResult::Panic)
    })
}
