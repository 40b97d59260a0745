//! The flags that the project file sets.

use super::args::CheckArgs;
use crate::project;
use anyhow::Result;

/// Completes the flags of `check` by the project file.
///
/// # Errors
/// When the project file has an error, or no specification is found.
pub(crate) fn complete(args: &mut CheckArgs) -> Result<()> {
    let options = project::fill(&mut args.input, &mut args.engine)?;
    args.each |= options.each;
    args.jobs = args.jobs.or(options.jobs);
    if args.deny.is_empty() {
        args.deny = options.deny;
    }
    args.format = args.given_format.or(options.format).unwrap_or_default();
    args.cache = args.cache.take().or(options.cache);
    args.baseline = args.baseline.take().or(options.baseline);
    Ok(())
}
