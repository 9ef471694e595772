import { METRICS, type DeclaredMetric } from "../../../src/core/api/metrics/declared.ts";

/** One line of a page of metrics. */
export interface Series {
  /** With `_bucket`, `_sum` or `_count` where it is part of a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The suffixes of the series of a histogram. */
const PARTS = ["_bucket", "_sum", "_count"];

/**
 * The series of a page in the text format of Prometheus. Throws when it is not what Prometheus takes, or not what is declared: a
 * metric or label more or less, series of a metric apart from each other or twice, a histogram whose buckets do not ascend.
 */
export function parseExposition(text: string): readonly Series[] {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const all: Series[] = [];
  const begun = new Set<string>();
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? [];
    if (kind === "HELP") {
      if (begun.has(name)) throw new Error(`${name} begins twice`);
      begun.add(name);
      current = name;
    } else if (kind === "TYPE") {
      if (name !== current || declared(name).type !== rest) throw new Error(`unexpected: ${line}`);
    } else all.push(seriesOf(line, current));
  }
  const keys = all.map(({ name, labels }) => JSON.stringify([name, Object.entries(labels).toSorted()]));
  if (new Set(keys).size < keys.length) throw new Error("a series is there twice");
  for (const name of begun) if (declared(name).type === "histogram") checkHistogram(name, all);
  return all;
}

/** The value of the one series of this name and with these labels; further labels are not looked at. */
export function valueOf(all: readonly Series[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  const found = all.filter((one) => one.name === name && hasLabels(one, labels));
  const [first] = found;
  if (first === undefined || found.length > 1)
    throw new Error(`${found.length} series ${name} ${JSON.stringify(labels)}`);
  return first.value;
}

function hasLabels({ labels }: Series, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([label, value]) => labels[label] === value);
}

function declared(name: string): DeclaredMetric {
  const found = Object.entries(METRICS).find(([each]) => each === name);
  if (found === undefined) throw new Error(`${name} is not declared`);
  return found[1];
}

function seriesOf(line: string, current: string): Series {
  const [, name = "", , braced = "", number = ""] =
    /^([a-z_]+)(\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)$/.exec(line) ?? [];
  const { type, labels: wanted } = declared(current);
  const part = type === "histogram" ? name.slice(current.length) : "";
  const isPart = type === "histogram" ? PARTS.includes(part) : true;
  if (!isPart || name !== current + part) throw new Error(`unexpected below ${current}: ${line}`);
  const pairs = [...braced.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = "", value = ""]) => [
    label,
    value,
  ]);
  const names = pairs.map(([label]) => label);
  const full = part === "_bucket" ? [...wanted, "le"] : wanted;
  if (names.toSorted().join() !== [...full].toSorted().join())
    throw new Error(`other labels than ${full.join()}: ${line}`);
  const value = Number(number);
  if (number === "" || Number.isNaN(value)) throw new Error(`no number: ${line}`);
  return { name, labels: Object.fromEntries(pairs), value };
}

function checkHistogram(name: string, all: readonly Series[]): void {
  const own = (suffix: string) => all.filter((one) => one.name === name + suffix);
  for (const { labels, value } of own("_count")) {
    const buckets = own("_bucket").filter((one) => hasLabels(one, labels));
    const bounds = buckets.map((one) => (one.labels["le"] === "+Inf" ? Infinity : Number(one.labels["le"])));
    const counts = buckets.map((one) => one.value);
    for (const list of [bounds, counts])
      if (list.some((one, at) => one < (list[at - 1] ?? 0))) throw new Error(`buckets of ${name} do not ascend`);
    if (bounds.at(-1) !== Infinity || counts.at(-1) !== value) throw new Error(`${name}_count is not its last bucket`);
    if (own("_sum").filter((one) => hasLabels(one, labels)).length !== 1) throw new Error(`${name}_sum is missing`);
  }
}
