//! The subcommands of git. Any other one is an alias from the user's settings, or an extension: a program `git-WORD`.

use super::argv::without_options;
use super::word::ShellWord;

/// What `git help --all` of version 2.51 lists, and well-known extensions.
const COMMANDS: &str = "add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr \
    check-ignore check-mailmap check-ref-format checkout checkout--worker checkout-index cherry cherry-pick citool clean \
    clone column commit commit-graph commit-tree config count-objects credential credential-cache credential-manager \
    credential-osxkeychain credential-store cvsexportcommit cvsimport cvsserver daemon describe diagnose diff diff-files \
    diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg \
    for-each-ref for-each-repo format-patch fsck fsck-objects gc get-tar-commit-id grep gui hash-object help hook \
    http-backend http-fetch http-push imap-send index-pack init init-db instaweb interpret-trailers last-modified log \
    ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-octopus \
    merge-one-file merge-ours merge-recursive merge-recursive-ours merge-recursive-theirs merge-resolve merge-subtree \
    merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id \
    pickaxe prune prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog refs remote repack \
    replace replay repo request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shell shortlog \
    show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule subtree survey svn switch \
    symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var \
    verify-commit verify-pack verify-tag version web--browse whatchanged worktree write-tree \
    absorb annex cliff crypt filter-repo flow lfs remote-gcrypt secret town xet";

/// Whether a command of git names a subcommand that git does not have, so that it is an alias, which may stand for any
/// command, or an extension.
pub(super) fn has_unknown_subcommand(words: &[ShellWord]) -> bool {
    let rest = without_options(words);
    let word = rest.as_deref().unwrap_or(words).get(1);
    let Some(text) = word.and_then(ShellWord::text) else { return false };
    !text.is_empty() && !text.starts_with('-') && !COMMANDS.split_whitespace().any(|own| own == text)
}
