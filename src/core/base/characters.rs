//! Which characters are never shown as they are.

/// Whether a character could deceive a reader, an editor or a terminal: control characters, characters that change the
/// direction of writing, line separators other than those of ASCII, and characters that are not visible (of Unicode's
/// `Default_Ignorable_Code_Point`, all but the variation selectors that emoji need). Wherever text of a user is shown,
/// they are escaped.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::is_deceptive;

    #[test]
    fn text_of_people_is_shown_and_the_rest_escaped() {
        for c in "aZ09 _-äßéñ中日本語한국어עבריתعربيकखहिन्दी→∧□◇“”…€🙂❤\u{fe0f}".chars()
        {
            assert!(!is_deceptive(c), "{:04X}", u32::from(c));
        }
        for c in [
            '\0',
            '\t',
            '\n',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{61c}',
            '\u{180e}',
            '\u{200b}',
            '\u{200f}',
            '\u{2028}',
            '\u{202e}',
            '\u{2066}',
            '\u{3164}',
            '\u{feff}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e01ef}',
        ] {
            assert!(is_deceptive(c), "{:04X}", u32::from(c));
        }
    }
}
