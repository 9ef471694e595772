import { isJson } from "../objects/json.ts";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "every" }
  | { readonly kind: "filter"; readonly path: readonly Step[]; readonly equals: unknown };

/** A reader of a simple JSON path such as `.status.conditions[?(@.type=="Ready")].status`; undefined for text that is none. */
export function compileJsonPath(text: string): ((value: unknown) => unknown[]) | undefined {
  const steps = stepsOf(text.replace(/^\{(.*)\}$/, "$1"));
  return steps === undefined ? undefined : (value) => find(value, steps);
}

const FIELD = /^\.((?:[^.[\]\\*]|\\.)+)/;
const QUOTED = /^\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/;
const INDEX = /^\[\s*(-?\d{1,9})\s*\]/;
const EVERY = /^(?:\[\s*\*\s*\]|\.\*)/;
const FILTER = /^\[\s*\?\(\s*@((?:\.(?:[^.[\]\\=\s]|\\.)+)+)\s*==\s*(?:"([^"]*)"|'([^']*)'|([^)\s]+))\s*\)\s*\]/;

function stepsOf(text: string): Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.startsWith("$") ? text.slice(1) : text;
  while (rest !== "") {
    const next = nextStep(rest);
    if (next === undefined) return undefined;
    steps.push(next.step);
    rest = rest.slice(next.length);
  }
  return steps;
}

function nextStep(text: string): { step: Step; length: number } | undefined {
  const every = EVERY.exec(text);
  if (every !== null) return { step: { kind: "every" }, length: every[0].length };
  const field = FIELD.exec(text);
  if (field !== null) return { step: { kind: "field", name: plain(field[1] ?? "") }, length: field[0].length };
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return { step: { kind: "field", name: quoted[1] ?? quoted[2] ?? "" }, length: quoted[0].length };
  const index = INDEX.exec(text);
  if (index !== null) return { step: { kind: "index", index: Number(index[1]) }, length: index[0].length };
  const filter = FILTER.exec(text);
  const path = filter === null ? undefined : stepsOf(filter[1] ?? "");
  if (filter === null || path === undefined) return undefined;
  const equals = filter[2] ?? filter[3] ?? literal(filter[4] ?? "");
  return { step: { kind: "filter", path, equals }, length: filter[0].length };
}

function find(value: unknown, steps: readonly Step[]): unknown[] {
  return steps.reduce<unknown[]>((values, step) => values.flatMap((each) => below(each, step)), [value]);
}

function below(value: unknown, step: Step): unknown[] {
  switch (step.kind) {
    case "field":
      return isJson(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case "index": {
      const found: unknown = Array.isArray(value) ? value.at(step.index) : undefined;
      return found === undefined ? [] : [found];
    }
    case "every":
      if (Array.isArray(value)) return [...value];
      return isJson(value) ? Object.values(value) : [];
    case "filter":
      return Array.isArray(value) ? value.filter((entry) => find(entry, step.path)[0] === step.equals) : [];
  }
}

function plain(name: string): string {
  return name.replace(/\\(.)/g, "$1");
}

function literal(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return Number.isNaN(Number(text)) ? text : Number(text);
}
