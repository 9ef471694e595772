import type { HistogramValues } from "#kit/base/histogram";
import { METRICS, type DeclaredMetric, type MetricName } from "./declared.ts";

type LabelsOf<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]["labels"][number], string | number>>;
type ValueOf<N extends MetricName> = (typeof METRICS)[N]["type"] extends "histogram" ? HistogramValues : number;

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
  return names.map((name) => familyOf(name, samples[name] ?? [])).join("");
}

/** The content type of that text. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function familyOf(name: MetricName, samples: readonly AnySample[]): string {
  const { type, help, bounds = [] }: DeclaredMetric = METRICS[name];
  let text = `# HELP ${name} ${escapeHelp(help)}.\n# TYPE ${name} ${type}\n`;
  for (const { labels, value } of samples) {
    const pairs = pairsOf(labels);
    text +=
      typeof value === "number" ? `${name}${inBraces(pairs)} ${value}\n` : histogramOf(name, pairs, value, bounds);
  }
  return text;
}

function histogramOf(name: string, pairs: string, { counts, sum }: HistogramValues, bounds: readonly number[]): string {
  const before = `${name}_bucket{${pairs === "" ? "" : `${pairs},`}le="`;
  let text = "";
  let count = 0;
  for (const [at, each] of counts.entries()) {
    count += each;
    text += `${before}${bounds[at] ?? "+Inf"}"} ${count}\n`;
  }
  return `${text}${name}_sum${inBraces(pairs)} ${sum}\n${name}_count${inBraces(pairs)} ${count}\n`;
}

type Labels = Readonly<Record<string, string | number>>;

interface AnySample {
  readonly labels: Labels;
  readonly value: number | HistogramValues;
}

function pairsOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${escapeHelp(String(value)).replaceAll('"', '\\"')}"`)
    .join(",");
}

function inBraces(pairs: string): string {
  return pairs === "" ? "" : `{${pairs}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
