import { count, escape, heads, row } from "./html.ts";
import type { Receipt } from "./receipt.ts";
import { timelineSection } from "./timeline-section.ts";

/** The receipt as one self-contained HTML page. */
export function receiptPage(receipt: Receipt): string {
  const { machine, verdict } = receipt;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Upgrade receipt: ${verdict}</title>
<style>${STYLE}
  h1 span { color: ${verdict === "passed" ? "#188038" : "#c5221f"}; }
</style>
<h1>Upgrade under load: <span>${verdict}</span></h1>
<dl>${figures(receipt)}</dl>
${timelineSection(receipt)}
<h2>What was changed</h2>
<table>${heads("Stage", "From", "To", "Seconds")}${stages(receipt)}</table>
<h2>What clients saw</h2>
<table>${heads("Phase", "Seconds", "Requests", "Failed", "p50 ms", "p99 ms", "Longest ms")}${phases(receipt)}</table>
<footer>${escape(receipt.startedAt)}, ${receipt.connections} connections, ${machine.cpus} cores, ${machine.memoryGiB} GiB, ${escape(machine.platform)}, Node ${escape(machine.node)}</footer>
</html>
`;
}

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 52rem; margin: 3rem auto; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem; }
  dl { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; }
  dl div { border: 1px solid #8885; border-radius: .5rem; padding: .75rem 1rem; }
  dt { font-size: .85rem; opacity: .75; } dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
  table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; font-variant-numeric: tabular-nums; }
  th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #8885; }
  footer { font-size: .85rem; opacity: .75; }`;

function figures(receipt: Receipt): string {
  const pairs: readonly (readonly [string, string])[] = [
    ["Acknowledged writes", count(receipt.acknowledgedWrites)],
    ["Lost writes", count(receipt.lostWrites)],
    ["Failed requests", `${count(receipt.failedRequests)} of ${count(receipt.requests)}`],
    ["Longest request", `${receipt.longestStall.toFixed(1)} ms`],
    ["Longest request without a reconnect", `${receipt.longestStallStaying.toFixed(1)} ms`],
    ["Switchovers of a primary", count(receipt.switchovers)],
    ["Reconnects of clients", count(receipt.reconnects)],
  ];
  return pairs.map(([name, value]) => `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`).join("");
}

function stages({ stages: upgraded, engine }: Receipt): string {
  const rows = upgraded.map(({ stage, from, to, seconds }) => row([stage, from, to, seconds.toFixed(1)]));
  return [...rows, row(["engine, by its own report", engine.before, engine.after, ""])].join("");
}

function phases(receipt: Receipt): string {
  return receipt.phases
    .map(({ phase, seconds, requests, failed, p50, p99, max }) =>
      row([phase, seconds.toFixed(1), count(requests), count(failed), p50.toFixed(2), p99.toFixed(2), max.toFixed(1)]),
    )
    .join("");
}
