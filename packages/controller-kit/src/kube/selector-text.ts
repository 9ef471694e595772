import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.js";
import { Fault } from "../base/fault.ts";
import { faults } from "./faults.ts";

/** The requirements of a selector as list and watch take it: `app=web,tier in (a,b),!canary,rank>3`; else KUBE_INVALID. */
export function parseSelector(text: string): LabelSelectorRequirement[] {
  return splitOutsideBrackets(text).map((term) => {
    const found = requirementOf(term);
    if (found === undefined) throw new Fault(faults.invalid, `unable to parse requirement: ${term}`);
    return requireSatisfiable(found);
  });
}

/** What may stand before and after the operator of a requirement. */
const KEY = "([^\\s!=<>,()]+)";
const SET = new RegExp(`^${KEY}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const PAIR = new RegExp(`^${KEY}\\s*(==|=|!=|>|<)\\s*([^\\s!=<>,()]*)$`);
const PRESENCE = new RegExp(`^(!?)\\s*${KEY}$`);

const PAIR_OPERATORS: Readonly<Record<string, string>> = { "=": "In", "==": "In", "!=": "NotIn", ">": "Gt", "<": "Lt" };

function requirementOf(term: string): LabelSelectorRequirement | undefined {
  const set = SET.exec(term);
  if (set !== null) {
    const [, key = "", operator, list = ""] = set;
    const values = list.split(",").map((value) => value.trim());
    return { key, operator: operator === "in" ? "In" : "NotIn", values };
  }
  const pair = PAIR.exec(term);
  if (pair !== null) {
    const [, key = "", operator = "", value = ""] = pair;
    return { key, operator: PAIR_OPERATORS[operator] ?? "", values: [value] };
  }
  const presence = PRESENCE.exec(term);
  if (presence === null) return undefined;
  const [, not, key = ""] = presence;
  return { key, operator: not === "!" ? "DoesNotExist" : "Exists" };
}

const NAME = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
const VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/;

/** No label can be what these requirements ask for: the server says so instead of selecting nothing. */
function requireSatisfiable(requirement: LabelSelectorRequirement): LabelSelectorRequirement {
  const { key, operator, values = [] } = requirement;
  if (!NAME.test(key)) throw new Fault(faults.invalid, `key: Invalid value: ${JSON.stringify(key)}: is no label`);
  const valid = operator === "Gt" || operator === "Lt" ? /^-?\d+$/ : VALUE;
  const wrong = values.find((value) => !valid.test(value));
  if (wrong === undefined) return requirement;
  throw new Fault(faults.invalid, `values[0][${key}]: Invalid value: ${JSON.stringify(wrong)}: is no value of a label`);
}

function splitOutsideBrackets(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== "");
}
