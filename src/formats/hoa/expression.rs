//! Label expressions: shunting-yard over explicit stacks, so that nesting never deepens the call stack.

use super::lexer::{HoaError, Lexer, Token};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{BitId, Guard, Guards};

/// The largest number of open parentheses and pending operators in one expression.
const DEPTH_LIMIT: usize = 10_000;

/// Reads an expression up to (not including) a token that cannot continue it.
pub(super) fn expression(
    lexer: &mut Lexer<'_>,
    guards: &mut Guards,
    aliases: &FxHashMap<String, Guard>,
    propositions: usize,
) -> Result<Guard, HoaError> {
    let mut operands: Vec<Guard> = Vec::new();
    let mut operators: Vec<char> = Vec::new();
    let mut want_operand = true;
    let mut open = 0usize;
    loop {
        let value = match lexer.peek()? {
            Some(Token::Word(word)) if word == "t" => Some(Guard::TRUE),
            Some(Token::Word(word)) if word == "f" => Some(Guard::FALSE),
            Some(Token::Number(n)) => {
                let n = *n as usize;
                if n >= propositions {
                    return Err(lexer.error(format!("proposition {n} is not declared")));
                }
                Some(guards.bit(BitId::from_index(n)))
            }
            Some(Token::Alias(name)) => {
                let name = name.clone();
                let known = aliases.get(&name).copied();
                Some(known.ok_or_else(|| lexer.error(format!("alias @{name} is not declared")))?)
            }
            _ => None,
        };
        if want_operand {
            if let Some(value) = value {
                lexer.next()?;
                operands.push(value);
                want_operand = false;
            } else if lexer.skip('!')? {
                operators.push('!');
            } else if lexer.skip('(')? {
                operators.push('(');
                open += 1;
            } else {
                return Err(lexer.error("expected a proposition, `!`, `(`, `t` or `f`"));
            }
            if operators.len() > DEPTH_LIMIT {
                return Err(lexer.error(format!("the expression nests deeper than {DEPTH_LIMIT}")));
            }
            continue;
        }
        let Some(&Token::Sign(sign)) = lexer.peek()? else { break };
        match sign {
            '&' | '|' => {
                reduce(&mut operands, &mut operators, guards, level(sign));
                operators.push(sign);
                want_operand = true;
            }
            ')' if open > 0 => {
                reduce(&mut operands, &mut operators, guards, 1);
                operators.pop();
                open -= 1;
            }
            _ => break,
        }
        lexer.next()?;
    }
    reduce(&mut operands, &mut operators, guards, 1);
    match (operands.pop(), operators.is_empty()) {
        (Some(guard), true) => Ok(guard),
        _ => Err(lexer.error("a parenthesis is not closed")),
    }
}

fn level(operator: char) -> u8 {
    match operator {
        '!' => 3,
        '&' => 2,
        '|' => 1,
        _ => 0,
    }
}

/// Applies the pending operators that bind at least as tightly as `least`.
fn reduce(operands: &mut Vec<Guard>, operators: &mut Vec<char>, guards: &mut Guards, least: u8) {
    while let Some(&operator) = operators.last() {
        if level(operator) < least {
            return;
        }
        operators.pop();
        let Some(b) = operands.pop() else { return };
        let result = if operator == '!' {
            guards.not(b)
        } else {
            let Some(a) = operands.pop() else { return };
            if operator == '&' { guards.and(a, b) } else { guards.or(a, b) }
        };
        operands.push(result);
    }
}
