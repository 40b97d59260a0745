//! A grammar of plans: a pushdown system with one or more control states whose words are plans, with limits on how
//! often each step may be used.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::source::Span;

define_id! {
    /// A terminal: a step of a plan.
    pub struct TerminalId;
    /// A nonterminal: a symbol of the stack that is still to be replaced.
    pub struct NonterminalId;
    /// A control state of a pushdown table; a grammar without a table has exactly one.
    pub struct ControlId;
    /// A production, or a row of a table.
    pub struct PlanRuleId;
}

/// The elements from which a step chooses a subset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subset {
    /// The elements to choose from; at most 64.
    pub elements: Vec<String>,
    /// Whether the empty subset may be chosen.
    pub may_be_empty: bool,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Its symbol.
    pub name: String,
    /// Its name in prompts and plans; `None` if that is its symbol.
    pub label: Option<String>,
    /// The least number of its occurrences in a plan.
    pub least: u32,
    /// The largest number of its occurrences in a plan; `None` if unlimited.
    pub most: Option<u32>,
    /// The cost of one occurrence, counted against the budget.
    pub cost: u32,
    /// The elements from which it chooses a subset; `None` if there is nothing to choose.
    pub subset: Option<Subset>,
}

impl Terminal {
    /// The name shown to users.
    pub fn shown(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// Steps that are counted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGroup {
    /// Its name in directives.
    pub name: String,
    /// The steps, each once.
    pub members: Vec<TerminalId>,
    /// The least number of occurrences of all of them together in a plan.
    pub least: u32,
    /// The largest number of occurrences of all of them together; `None` if unlimited.
    pub most: Option<u32>,
}

/// A symbol that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nonterminal {
    /// Its symbol.
    pub name: String,
    /// A description of its purpose, such as `the image`.
    pub goal: Option<String>,
    /// The question that is asked when it is to be replaced.
    pub question: Option<String>,
}

impl Nonterminal {
    /// The name shown to users.
    pub fn shown(&self) -> &str {
        self.goal.as_deref().unwrap_or(&self.name)
    }
}

/// A control state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlState {
    /// Its name; empty for the state of a grammar without a table.
    pub name: String,
    /// The question that is asked in it.
    pub question: Option<String>,
    /// Whether a plan may end in it when the stack is empty.
    pub accepting: bool,
}

/// A symbol of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StackSymbol {
    /// A step to be written.
    Terminal(TerminalId),
    /// A symbol to be replaced.
    Nonterminal(NonterminalId),
}

/// A rule that replaces the top of the stack in a control state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRule {
    /// The state; `None` means any state.
    pub from: Option<ControlId>,
    /// The top of the stack, which is replaced.
    pub top: NonterminalId,
    /// The next state; `None` keeps the state.
    pub to: Option<ControlId>,
    /// The replacement, the new top first.
    pub body: Vec<StackSymbol>,
    /// Its name in prompts.
    pub label: Option<String>,
    /// Whether it ends the plan in an accepting state, whatever is on the stack.
    pub ends: bool,
}

/// In which order the steps of a plan are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The order of the word.
    #[default]
    Written,
    /// Each step comes after the steps that serve it.
    Execution,
}

/// A grammar of plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanGrammar {
    /// The name of the file, without its ending.
    pub name: String,
    /// The task that plans solve.
    pub task: Option<String>,
    /// The steps, in the order in which the file names them.
    pub terminals: IdVec<TerminalId, Terminal>,
    /// The symbols that are replaced.
    pub nonterminals: IdVec<NonterminalId, Nonterminal>,
    /// The control states; at least one.
    pub controls: IdVec<ControlId, ControlState>,
    /// In the order of the file, which is the order of choices.
    pub rules: IdVec<PlanRuleId, PlanRule>,
    /// The initial stack symbol.
    pub start: NonterminalId,
    /// The initial control state.
    pub initial: ControlId,
    /// Steps that are counted together.
    pub groups: Vec<StepGroup>,
    /// The largest total cost of a plan; `None` if unlimited.
    pub budget: Option<u32>,
    /// The order of the steps.
    pub order: Order,
    /// The rules of each nonterminal, in order.
    pub(super) by_top: IdVec<NonterminalId, Vec<PlanRuleId>>,
}

impl PlanGrammar {
    /// The rules for this top of the stack in this state, in their order.
    pub fn rules_for(
        &self,
        control: ControlId,
        top: NonterminalId,
    ) -> impl Iterator<Item = (PlanRuleId, &PlanRule)> {
        let rules = self.by_top.get(top).map_or(&[][..], Vec::as_slice);
        rules
            .iter()
            .map(|&id| (id, &self.rules[id]))
            .filter(move |(_, rule)| rule.from.is_none_or(|from| from == control))
    }
    /// Rebuilds the index `by_top` from `rules`.
    pub(super) fn index_rules(&mut self) {
        self.by_top = IdVec::filled(Vec::new(), self.nonterminals.len());
        for (id, rule) in self.rules.enumerate() {
            self.by_top[rule.top].push(id);
        }
    }
    /// The step of this name.
    pub fn terminal(&self, name: &str) -> Option<TerminalId> {
        self.terminals.enumerate().find(|(_, terminal)| terminal.name == name).map(|(id, _)| id)
    }
    /// The name of a symbol.
    pub fn symbol_name(&self, symbol: StackSymbol) -> &str {
        match symbol {
            StackSymbol::Terminal(id) => &self.terminals[id].name,
            StackSymbol::Nonterminal(id) => &self.nonterminals[id].name,
        }
    }
    /// The name of a step as it is written in words and files: in quotes where necessary.
    pub fn written(&self, terminal: TerminalId) -> String {
        written(&self.terminals[terminal].name)
    }
    /// Whether the grammar has a table with more than one control state.
    pub fn has_table(&self) -> bool {
        self.controls.len() > 1
    }
    /// Whether a nonterminal is a category in this control state: the body of each of its rules is one step, or one
    /// nonterminal that is a category.
    pub fn is_category(&self, control: ControlId, top: NonterminalId) -> bool {
        let mut seen = vec![top];
        let mut next = 0;
        while next < seen.len() {
            let top = seen[next];
            next += 1;
            let mut any = false;
            for (_, rule) in self.rules_for(control, top) {
                any = true;
                match rule.body[..] {
                    [StackSymbol::Terminal(_)] if rule.label.is_none() && rule.to.is_none() => {}
                    [StackSymbol::Nonterminal(inner)] if rule.label.is_none() && rule.to.is_none() => {
                        // A nonterminal that is reached twice may be on a cycle, which need not end.
                        if seen.contains(&inner) {
                            return false;
                        }
                        seen.push(inner);
                    }
                    _ => return false,
                }
            }
            if !any {
                return false;
            }
        }
        true
    }
}

/// A symbol in the syntax of `.cfg` files.
fn written(name: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"(),|\"=#{}%→".contains(c);
    if !name.is_empty() && name.chars().all(plain) && !name.contains("->") && name != "ε" {
        return name.to_string();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The first id of a table.
pub(super) fn first_id<I: Id>() -> I {
    I::from_index(0)
}

/// The span of the first mention of each symbol.
pub(super) type Places = FxHashMap<String, Span>;

/// The id of the item with this name.
pub(super) fn index_of<I: Id, T>(table: &IdVec<I, T>, name: &str, of: impl Fn(&T) -> &str) -> Option<I> {
    table.enumerate().find(|(_, item)| of(item) == name).map(|(id, _)| id)
}
