import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.js";

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether a label selector selects `labels`; an absent selector selects nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  return selectsAll(selector.matchLabels, labels) && meetsAll(selector.matchExpressions ?? [], labels);
}

/** Whether `labels` meets every requirement of a selector. */
export function meetsAll(requirements: readonly LabelSelectorRequirement[], labels: Labels): boolean {
  return requirements.every((requirement) => holds(requirement, labels));
}

/** Whether `labels` has every pair of `wanted`. */
export function selectsAll(wanted: Labels, labels: Labels): boolean {
  return Object.entries(wanted ?? {}).every(([name, value]) => labels?.[name] === value);
}

/** A label selector in the form that list and watch take. */
export function selectorText(selector: LabelSelector): string {
  const pairs = Object.entries(selector.matchLabels ?? {}).map(([name, value]) => `${name}=${value}`);
  return [...pairs, ...(selector.matchExpressions ?? []).map(requirementText)].join(",");
}

function holds({ key, operator, values = [] }: LabelSelectorRequirement, labels: Labels): boolean {
  const value = labels?.[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt": // the text form alone has these two
      return /^-?\d+$/.test(value ?? "") && Number(value) > Number(values[0]);
    case "Lt":
      return /^-?\d+$/.test(value ?? "") && Number(value) < Number(values[0]);
    default:
      return false; // the server refuses other operators
  }
}

function requirementText({ key, operator, values = [] }: LabelSelectorRequirement): string {
  switch (operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return `${key} ${operator.toLowerCase()} (${values.join(",")})`;
  }
}
