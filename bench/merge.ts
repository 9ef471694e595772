import { decodeOperation, type EncodedOperation } from "../src/core/merge/operations/operation-codec.ts";
import type { Effect } from "../src/core/merge/operations/operation.ts";
import { Site } from "../src/core/merge/site.ts";
import { commandLine } from "./command-line.ts";

/**
 * Operations a second that one core captures, applies and forgets: `node bench/merge.ts [--operations 100000]`. No engine and no network
 * is in it. Each row has 100,000 keys, fields or increments that not all sites have applied.
 */
const OPERATIONS = commandLine({ operations: 100_000 }).options.operations;
const SITES = [1, 2];
const VALUE = "x".repeat(64);

const rows: readonly (readonly [string, (index: number) => readonly Effect[]])[] = [
  [
    "`SET` of many keys",
    (index) => [
      { kind: "clear", key: `key:${index}` },
      { kind: "put", type: "string", key: `key:${index}`, element: "", value: VALUE },
    ],
  ],
  [
    "`HSET` of many fields of one hash",
    (index) => [{ kind: "put", type: "hash", key: "hash", element: `field:${index}`, value: VALUE }],
  ],
  ["`INCR` of one key", () => [{ kind: "add", type: "string", key: "count", element: "", amount: 1n }]],
];

process.stdout.write("| | Captured/s | Applied/s | Forgotten/s | Beat that forgets nothing |\n");
process.stdout.write("|---|---|---|---|---|\n");
for (const [name, effectsOf] of rows) {
  const [a, b] = SITES.map((origin) =>
    Site.empty({
      origin,
      sites: SITES,
      limits: { keptBytes: Infinity, earlyBytes: Infinity, partKeys: 100 },
      life: "bench",
    }),
  );
  if (a === undefined || b === undefined) throw new Error("two sites");
  const operations: EncodedOperation[] = [];
  const captured = secondsOf(() => {
    for (let index = 0; index < OPERATIONS; index += 1) operations.push(a.captured(effectsOf(index), index));
  });
  const applied = secondsOf(() => {
    for (const operation of operations) take(b, operation);
  });
  const idle = secondsOf(() => a.forgetAgreed());
  const beat = b.captured([], OPERATIONS);
  take(a, beat);
  const forgotten = secondsOf(() => a.forgetAgreed());
  const rate = (seconds: number): string => Math.round(OPERATIONS / seconds).toLocaleString("en");
  const cells = [rate(captured), rate(applied), rate(forgotten), `${(idle * 1000).toFixed(1)} ms`];
  process.stdout.write(`| ${name} | ${cells.join(" | ")} |\n`);
}

/** As it comes from another site, until its mark is in the stream. */
function take(site: Site, { bytes }: EncodedOperation): void {
  const operation = decodeOperation(bytes);
  for (const { mark } of site.receive(operation, operation.dot.origin) ?? []) site.applied(mark);
}

/** Of processor time, which holds beside other work too. */
function secondsOf(work: () => void): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000_000;
}
