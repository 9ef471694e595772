import type { Distribution } from "../../base/histogram.ts";
import { METRICS, type DeclaredMetric, type MetricName } from "./declared.ts";

type LabelsOf<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]["labels"][number], string | number>>;
type ValueOf<N extends MetricName> = (typeof METRICS)[N]["type"] extends "histogram" ? Distribution : number;

/** One value of a metric, with its labels. */
export interface Sample<N extends MetricName> {
  readonly labels: LabelsOf<N>;
  readonly value: ValueOf<N>;
}

/** Samples by the name of their metric. */
export type Samples = { readonly [N in MetricName]?: readonly Sample<N>[] };

/** The samples in the text format of Prometheus, version 0.0.4, in the order in which metrics are declared. */
export function exposition(samples: Samples): string {
  const names = Object.keys(METRICS).filter((name): name is MetricName => name in samples);
  return names.flatMap((name) => [...familyOf(name, samples[name] ?? [])].map((line) => `${line}\n`)).join("");
}

/** The content type of that text. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function* familyOf(name: MetricName, samples: readonly AnySample[]): Iterable<string> {
  const { type, help, bounds = [] }: DeclaredMetric = METRICS[name];
  yield `# HELP ${name} ${escaped(help)}.`;
  yield `# TYPE ${name} ${type}`;
  for (const { labels, value } of samples) {
    if (typeof value === "number") yield `${name}${braced(labels)} ${value}`;
    else yield* histogramOf(name, labels, value, bounds);
  }
}

function* histogramOf(name: string, labels: Labels, { counts, sum }: Distribution, bounds: readonly number[]) {
  let count = 0;
  for (const [at, bound] of [...bounds, "+Inf"].entries()) {
    count += counts[at] ?? 0;
    yield `${name}_bucket${braced({ ...labels, le: bound })} ${count}`;
  }
  yield `${name}_sum${braced(labels)} ${sum}`;
  yield `${name}_count${braced(labels)} ${count}`;
}

type Labels = Readonly<Record<string, string | number>>;

interface AnySample {
  readonly labels: Labels;
  readonly value: number | Distribution;
}

function braced(labels: Labels): string {
  const all = Object.entries(labels).map(
    ([label, value]) => `${label}="${escaped(String(value)).replaceAll('"', '\\"')}"`,
  );
  return all.length === 0 ? "" : `{${all.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
