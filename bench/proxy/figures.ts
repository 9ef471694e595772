import type { Load, Sample } from "./load.ts";

/** The medians of one way under one load. */
export interface Figure extends Sample {
  readonly way: string;
}

/** All ways under one load. */
export interface Row {
  readonly load: Load;
  readonly figures: readonly Figure[];
}

/** The medians of these samples. */
export function figureOf(way: string, samples: readonly Sample[]): Figure {
  const cpu = samples.map((sample) => sample.cpu).filter((value) => value !== undefined);
  const of = (what: "set" | "get" | "p50" | "p99"): number => median(samples.map((sample) => sample[what]));
  const figures = { set: of("set"), get: of("get"), p50: of("p50"), p99: of("p99") };
  return { way, ...figures, ...(cpu.length > 0 ? { cpu: median(cpu) } : {}) };
}

/** A row as one line: of each way SET and GET by those of the engine itself, and processor time for each request. */
export function lineOf({ load, figures }: Row): string {
  const direct = figures.find(({ way }) => way === "direct");
  const cells = figures.map(({ set, get, cpu }) => {
    if (Number.isNaN(set)) return "not measured";
    if (direct === undefined || cpu === undefined) return `${thousands(set)}/${thousands(get)}${micros(cpu)}`;
    return `${(set / direct.set).toFixed(2)}/${(get / direct.get).toFixed(2)}${micros(cpu)}`;
  });
  return [loadText(load), ...cells.map((cell) => cell.padStart(WIDTH))].join("");
}

/** The line above all rows. */
export function headOf(ways: readonly string[]): string {
  return ["clients  P  bytes".padEnd(FIRST), ...ways.map((way) => way.padStart(WIDTH))].join("");
}

/** A row in words, while the run goes on. */
export function loadText({ clients, pipeline, bytes }: Load): string {
  return `${String(clients).padStart(7)} ${String(pipeline).padStart(2)} ${String(bytes).padStart(6)}`.padEnd(FIRST);
}

function micros(cpu: number | undefined): string {
  return cpu === undefined ? "" : ` ${cpu.toFixed(2)}`;
}

function thousands(rate: number): string {
  return `${(rate / 1000).toFixed(1)}k`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const FIRST = 18;
const WIDTH = 18;
