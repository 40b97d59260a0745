//! Acceptance conditions, read into disjunctive normal form: each clause is a conjunction of `Inf` and `Fin`. The
//! complement of a set that a condition refers to (`Inf(!0)`) becomes an additional set.

use super::lexer::{HoaError, Lexer, Token};
use tsl_synth_core::model::{Acceptance, AcceptanceClause, Marks};

/// The largest number of open parentheses and pending operators.
const DEPTH_LIMIT: usize = 10_000;
/// The largest number of clauses of a normal form.
const CLAUSE_LIMIT: usize = 256;

type Clauses = Vec<AcceptanceClause>;

/// Reads a condition such as `2 Inf(0) & Fin(!1)`. The vector contains for each declared set the additional set that is
/// its complement, if there is one.
pub(super) fn acceptance(lexer: &mut Lexer<'_>) -> Result<(Acceptance, Vec<Option<usize>>), HoaError> {
    let declared = lexer.number()? as usize;
    let too_many = || format!("more than {} acceptance sets", Marks::MAX_SETS);
    if declared > Marks::MAX_SETS {
        return Err(lexer.error(too_many()));
    }
    let mut sets = declared;
    let mut complements = vec![None; declared];
    let mut operands: Vec<Clauses> = Vec::new();
    let mut operators: Vec<char> = Vec::new();
    loop {
        // An operand, after any number of parentheses.
        while lexer.skip('(')? {
            operators.push('(');
            if operators.len() > DEPTH_LIMIT {
                return Err(lexer.error(format!("the acceptance nests deeper than {DEPTH_LIMIT}")));
            }
        }
        let Some(Token::Word(word)) = lexer.next()? else {
            return Err(lexer.error("expected `Inf`, `Fin`, `t` or `f`"));
        };
        operands.push(match word.as_str() {
            "t" => vec![AcceptanceClause::default()],
            "f" => Vec::new(),
            "Inf" | "Fin" => {
                let (set, complemented) = set(lexer, declared)?;
                let mark = if complemented {
                    *complements[set].get_or_insert_with(|| {
                        sets += 1;
                        sets - 1
                    })
                } else {
                    set
                };
                if sets > Marks::MAX_SETS {
                    return Err(lexer.error(too_many()));
                }
                let (inf, fin) = if word == "Inf" {
                    (Marks::of(mark), Marks::NONE)
                } else {
                    (Marks::NONE, Marks::of(mark))
                };
                vec![AcceptanceClause { inf, fin }]
            }
            _ => return Err(lexer.error(format!("`{word}` is no acceptance"))),
        });
        while operators.contains(&'(') && lexer.skip(')')? {
            while let Some(operator) = operators.pop().filter(|&operator| operator != '(') {
                apply(lexer, &mut operands, operator)?;
            }
        }
        let operator = if lexer.skip('&')? {
            '&'
        } else if lexer.skip('|')? {
            '|'
        } else {
            break;
        };
        while let Some(before) =
            operators.pop_if(|before| *before == '&' || (*before == '|' && operator == '|'))
        {
            apply(lexer, &mut operands, before)?;
        }
        operators.push(operator);
    }
    while let Some(operator) = operators.pop() {
        if operator == '(' {
            return Err(lexer.error("a parenthesis is not closed"));
        }
        apply(lexer, &mut operands, operator)?;
    }
    let clauses = operands.pop().unwrap_or_default();
    Ok((Acceptance { sets, clauses }, complements))
}

/// `(0)` or `(!0)`.
fn set(lexer: &mut Lexer<'_>, declared: usize) -> Result<(usize, bool), HoaError> {
    if !lexer.skip('(')? {
        return Err(lexer.error("expected `(`"));
    }
    let complemented = lexer.skip('!')?;
    let set = lexer.number()? as usize;
    if set >= declared {
        return Err(lexer.error(format!("acceptance set {set} is not declared")));
    }
    if !lexer.skip(')')? {
        return Err(lexer.error("expected `)`"));
    }
    Ok((set, complemented))
}

/// Applies an operator to the last two operands.
fn apply(lexer: &Lexer<'_>, operands: &mut Vec<Clauses>, operator: char) -> Result<(), HoaError> {
    let (Some(b), Some(a)) = (operands.pop(), operands.pop()) else {
        return Err(lexer.error("expected a condition"));
    };
    let mut joined: Clauses = if operator == '|' {
        [a, b].concat()
    } else {
        let both = |x: &AcceptanceClause, y: &AcceptanceClause| AcceptanceClause {
            inf: x.inf.union(y.inf),
            fin: x.fin.union(y.fin),
        };
        a.iter().flat_map(|x| b.iter().map(move |y| both(x, y))).collect()
    };
    // A clause with one set in both `Inf` and `Fin` is unsatisfiable; a clause that contains all literals of another
    // one is subsumed by it.
    joined.retain(|clause| !clause.inf.meets(clause.fin));
    joined.sort_unstable_by_key(|clause| (clause.inf.count() + clause.fin.count(), *clause));
    let mut kept: Clauses = Vec::new();
    for clause in joined {
        if !kept.iter().any(|k| clause.inf.covers(k.inf) && clause.fin.covers(k.fin)) {
            kept.push(clause);
        }
    }
    if kept.len() > CLAUSE_LIMIT {
        return Err(lexer.error(format!("an acceptance of more than {CLAUSE_LIMIT} cases")));
    }
    operands.push(kept);
    Ok(())
}
