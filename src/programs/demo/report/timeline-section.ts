import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Timeline } from "../load/timeline.ts";
import { CHART_SCRIPT, type ChartData } from "./draw-chart.ts";
import { count, heads, row } from "./html.ts";
import type { Receipt } from "./receipt.ts";

/** What clients saw from moment to moment, with what happened then: a chart, and a table for who cannot see it. */
export function timelineSection({ timeline, marks }: Pick<Receipt, "timeline" | "marks">): string {
  const data = JSON.stringify(chartData(timeline, marks)).replaceAll("<", String.raw`\u003c`);
  return `<h2>Did anybody notice?</h2>
<!-- The chart is drawn by uPlot.
${read("LICENSE").replaceAll("--", "- -")}-->
<style>${read("dist/uPlot.min.css")}
  .u-legend { font-size: .85rem; } .u-legend th, .u-legend td { border: 0; padding: .1rem .3rem; }</style>
<div id="chart" role="img" aria-label="Latency over time; the table below has the same moments"></div>
<p>Dashed lines are the stages, red ones changes of a primary or of the number of shards, short ones at the bottom connections that were opened again. Each point is the worst of ${timeline.stretchMs} ms.</p>
<table>${heads("Second", "What", "Longest ms", "Longest ms without a reconnect", "Failed", "Reconnects")}${momentRows(timeline, marks)}</table>
<script>${read("dist/uPlot.iife.min.js")}
${CHART_SCRIPT}
drawChart(uPlot, document.getElementById("chart"), ${data}, window);</script>`;
}

/** The columns of the chart. */
export function chartData(timeline: Timeline, marks: Receipt["marks"]): ChartData {
  const { beganAt, stretchMs, requests, failed, reconnects, median, longestStaying, longest } = timeline;
  const seconds = requests.map((_, at) => (at * stretchMs) / 1_000);
  const where = (values: readonly number[], isShown: (at: number) => boolean): (number | null)[] =>
    values.map((value, at) => (value > 0 && isShown(at) ? value : null));
  return {
    columns: [
      seconds,
      where(median, () => true),
      where(longestStaying, () => true),
      where(longest, (at) => (longest[at] ?? 0) > (longestStaying[at] ?? 0)),
      // at the height of what else was seen then
      requests.map((_, at) => ((failed[at] ?? 0) > 0 ? Math.max(longest[at] ?? 0, LEAST_MS) : null)),
    ],
    reconnects: seconds.filter((_, at) => (reconnects[at] ?? 0) > 0),
    marks: marks.map(({ at, kind, text }) => ({ seconds: (at - beganAt) / 1_000, kind, text })),
  };
}

/** A row for each mark, with what clients saw within a second of it. */
function momentRows(timeline: Timeline, marks: Receipt["marks"]): string {
  return marks
    .map(({ at, kind, text }) => {
      const { longest, longestStaying, failed, reconnects } = nearby(timeline, at);
      const what = kind === "stage" ? `stage: ${text}` : text;
      const seconds = ((at - timeline.beganAt) / 1_000).toFixed(1);
      return row([seconds, what, longest.toFixed(1), longestStaying.toFixed(1), count(failed), count(reconnects)]);
    })
    .join("");
}

function nearby(
  timeline: Timeline,
  at: number,
): Record<"longest" | "longestStaying" | "failed" | "reconnects", number> {
  const { beganAt, stretchMs } = timeline;
  const [from, to] = [at - NEARBY_MS, at + NEARBY_MS].map((time) => Math.floor((time - beganAt) / stretchMs));
  const within = (values: readonly number[]): readonly number[] => values.slice(Math.max(0, from ?? 0), (to ?? 0) + 1);
  const sum = (values: readonly number[]): number => within(values).reduce((all, one) => all + one, 0);
  return {
    longest: Math.max(0, ...within(timeline.longest)),
    longestStaying: Math.max(0, ...within(timeline.longestStaying)),
    failed: sum(timeline.failed),
    reconnects: sum(timeline.reconnects),
  };
}

function read(file: string): string {
  const main = fileURLToPath(import.meta.resolve("uplot/dist/uPlot.iife.min.js"));
  return readFileSync(main.replace("dist/uPlot.iife.min.js", file), "utf8");
}

const NEARBY_MS = 1_000;
/** The least that the chart shows, in milliseconds: its scale has no zero. */
const LEAST_MS = 1;
