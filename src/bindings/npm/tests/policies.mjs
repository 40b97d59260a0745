// Policies of the tests.
export const SHOP = `
policy = 1
unmatched = "deny"
[actions]
groups = [["refund", "close", "wipe"]]
[propositions]
confirmed = { state = true }
[[match]]
on = "call"
tool = "refund"
action = "refund"
[[match]]
on = "call"
tool = "close_account"
action = "close"
[[match]]
on = "call"
tool = "wipe"
action = "wipe"
[[law]]
id = "refund-first"
rule = "close requires refund before"
why = "Refund what is left before an account is closed."
[[law]]
id = "wiped-by-persons"
ltl = "G !wipe"
on_violation = "ask"
[[law]]
id = "closed-in-the-end"
rule = "after refund end requires close"
`;

/** A policy that permits so many payments. */
export const cap = (most) => `
policy = 1
[actions]
groups = [["pay"]]
[[count]]
name = "over"
count = true
on = "pay"
above = ${most}
[[match]]
on = "call"
tool = "pay"
action = "pay"
[[law]]
id = "cap"
ltl = "G (pay -> !over)"
`;

/** A policy with so many rules that share nothing. */
export function rules(count) {
  const name = (kind, number) => `${kind}_${number}`;
  const numbers = Array.from({ length: count }, (_, number) => number);
  const actions = numbers.flatMap((number) => [name("first", number), name("then", number)]);
  const tables = actions.map((action) => `[[match]]\non = "call"\ntool = "${action}"\naction = "${action}"`);
  const laws = numbers.map((number) => `[[law]]\nid = "rule-${number}"\nrule = "${name("then", number)} requires ${name("first", number)} before"`);
  const groups = `[actions]\ngroups = [[${actions.map((action) => `"${action}"`).join(", ")}]]`;
  return ["policy = 1", groups, ...tables, ...laws, ""].join("\n");
}
