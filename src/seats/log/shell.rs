//! Commands that are given as lists of words, written as one line of a shell.

use std::borrow::Cow;

/// One shell line that is equivalent to the words: the result for `["bash", "-lc", line]` is `line`; other words are
/// joined, quoted where necessary.
pub(super) fn line(words: &[Cow<'_, str>]) -> String {
    if let [shell, flag, line] = words
        && matches!(shell.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "dash" | "ksh"))
        && matches!(&**flag, "-c" | "-lc" | "-ic" | "-lic")
    {
        return line.clone().into_owned();
    }
    let mut out = String::new();
    for word in words {
        if !out.is_empty() {
            out.push(' ');
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            out.push_str(word);
        } else {
            out.push('\'');
            out.push_str(&word.replace('\'', r"'\''"));
            out.push('\'');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::line;
    use std::borrow::Cow;

    #[test]
    fn words_are_one_line() {
        let of = |words: &[&str]| line(&words.iter().map(|word| Cow::Borrowed(*word)).collect::<Vec<_>>());
        assert_eq!(of(&["bash", "-lc", "git add . && git push"]), "git add . && git push");
        assert_eq!(of(&["/usr/bin/zsh", "-c", "ls"]), "ls");
        assert_eq!(of(&["git", "commit", "-m", "it's; done"]), r"git commit -m 'it'\''s; done'");
        assert_eq!(of(&["python", "-c", ""]), "python -c ''");
        assert_eq!(of(&["bash", "-lc", "a", "b"]), "bash -lc a b");
    }
}
