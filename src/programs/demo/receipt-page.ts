import type { Receipt } from "./receipt.ts";

/** The receipt as one self-contained HTML page. */
export function receiptPage(receipt: Receipt): string {
  const rows = receipt.phases.map((phase) =>
    row([
      phase.phase,
      phase.seconds.toFixed(1),
      count(phase.requests),
      count(phase.failed),
      phase.p50.toFixed(2),
      phase.p99.toFixed(2),
      phase.max.toFixed(1),
    ]),
  );
  const stages = receipt.stages.map((stage) => row([stage.stage, stage.from, stage.to, stage.seconds.toFixed(1)]));
  const engines = row(["engine, as it reports of itself", receipt.engine.before, receipt.engine.after, ""]);
  const facts: readonly (readonly [string, string])[] = [
    ["Acknowledged writes", count(receipt.acknowledgedWrites)],
    ["Lost writes", count(receipt.lostWrites)],
    ["Failed requests", `${count(receipt.failedRequests)} of ${count(receipt.requests)}`],
    ["Longest stall", `${receipt.longestStall.toFixed(1)} ms`],
    ["Longest stall on connections that stayed", `${receipt.longestStallStaying.toFixed(1)} ms`],
    ["Switchovers", count(receipt.switchovers)],
    ["Connections moved", count(receipt.reconnects)],
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Upgrade receipt: ${receipt.verdict}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 52rem; margin: 3rem auto; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem; } h1 span { color: ${receipt.verdict === "passed" ? "#188038" : "#c5221f"}; }
  dl { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; }
  dl div { border: 1px solid #8885; border-radius: .5rem; padding: .75rem 1rem; }
  dt { font-size: .85rem; opacity: .75; } dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
  table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; font-variant-numeric: tabular-nums; }
  th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #8885; }
  footer { font-size: .85rem; opacity: .75; }
</style>
<h1>Upgrade under load: <span>${receipt.verdict}</span></h1>
<dl>${facts.map(([name, value]) => `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`).join("")}</dl>
<h2>What was upgraded</h2>
<table><tr><th>Stage</th><th>From</th><th>To</th><th>Seconds</th></tr>${stages.join("")}${engines}</table>
<h2>What clients saw</h2>
<table><tr><th>Phase</th><th>Seconds</th><th>Requests</th><th>Failed</th><th>p50 ms</th><th>p99 ms</th><th>Longest ms</th></tr>${rows.join("")}</table>
<footer>${escape(receipt.startedAt)}, ${receipt.connections} connections, ${receipt.machine.cpus} cores, ${receipt.machine.memoryGiB} GiB, ${escape(receipt.machine.platform)}, Node ${escape(receipt.machine.node)}</footer>
</html>
`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`;
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
}
