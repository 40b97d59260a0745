//! Runs deep recursions on a large stack.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The size of a large stack, in bytes of address space. Parsers recurse as deep as the documented limits on nesting
/// permit, printers of other crates a little deeper.
pub const LARGE_STACK: usize = 256 << 20;

thread_local! {
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Why there is no result.
#[derive(Debug)]
pub enum NoResult {
    /// The system has no thread or no memory for the stack.
    NoStack(std::io::Error),
    /// The work panicked.
    Panic(Box<dyn std::any::Any + Send>),
}

/// Runs `work` on a stack of [`LARGE_STACK`] bytes: in a separate thread, unless this thread has such a stack already.
/// WebAssembly has neither: there the work runs on the stack that the module was linked with, and a panic ends the
/// program.
///
/// # Errors
/// No stack, or a panic.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, NoResult> {
    if cfg!(target_family = "wasm") {
        return Ok(work());
    }
    if IS_LARGE.get() {
        return catch_unwind(AssertUnwindSafe(work)).map_err(NoResult::Panic);
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("work".into()).stack_size(LARGE_STACK);
        let thread = thread.spawn_scoped(scope, || with_large_stack(work)).map_err(NoResult::NoStack)?;
        thread.join().map_err(NoResult::Panic)
    })
}

/// Runs the work of a thread that was started with a stack of [`LARGE_STACK`] bytes, so that [`on_large_stack`] inside
/// of it starts no further thread.
pub fn with_large_stack<T>(work: impl FnOnce() -> T) -> T {
    IS_LARGE.set(true);
    work()
}

#[cfg(test)]
mod tests {
    use super::{NoResult, on_large_stack};

    /// Needs `depth` kilobytes of stack.
    fn recurse(depth: usize) -> u8 {
        let filled = std::hint::black_box([1u8; 1 << 10]);
        if depth == 0 { filled[0] } else { recurse(depth - 1) / filled[depth % filled.len()] }
    }

    #[test]
    fn only_the_outermost_starts_a_thread() {
        let own = std::thread::current().id();
        let (outer, inner, depth) = on_large_stack(|| {
            let inner = on_large_stack(|| std::thread::current().id()).expect("a result");
            (std::thread::current().id(), inner, recurse(64 << 10))
        })
        .expect("a result");
        assert!(outer != own && outer == inner && depth == 1);
    }

    #[test]
    fn panics_are_caught_inside_too() {
        let caught = on_large_stack(|| {
            let inner = on_large_stack(|| panic!("inside"));
            matches!(inner, Err(NoResult::Panic(_)))
        });
        assert!(matches!(caught, Ok(true)));
        assert!(matches!(on_large_stack(|| panic!("outside")), Err::<(), _>(NoResult::Panic(_))));
    }
}
