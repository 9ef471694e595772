// Seeded runs of three linked sites, each in a process of its own: docs/active-active.md#how-this-is-proved.
//   npm run soak:active-active -- [--seeds n] [--from seed] [--parallel n] [--minutes m] [--length short|long] [--rate requests/s] [--power] [--result file]
// Exit codes: 0 all passed, 1 a seed failed, 2 wrong arguments, 3 skipped: not possible on this machine, 130 interrupted.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { messageOf } from "#kit/base/fault";
import { EQUAL_WITHIN_MS, type SitesVerdict } from "../test/kit/site-chaos/play.ts";
import { runSitesSeed, whySitesNotPlayable } from "../test/kit/site-chaos/run.ts";
import { LENGTHS, type Length } from "../test/kit/site-chaos/schedule.ts";
import { onInterrupt } from "./soaking/interrupted.ts";
import { notWhole } from "./soaking/not-whole.ts";
import { builtPrograms } from "./programs/built.ts";
import { ROOT } from "./testing/select.ts";

const WRONG_ARGUMENTS = 2;
const NOT_POSSIBLE = 3;

interface WantedSites {
  readonly seeds: number;
  readonly from: number;
  readonly parallel: number;
  readonly minutes: number;
  readonly length: Length;
  readonly rate: number | undefined;
  readonly power: boolean;
  readonly result: string;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = wantedOf(process.argv.slice(2));
  if (typeof wanted === "string") {
    say(
      `${wanted}\nnpm run soak:active-active -- [--seeds 1000] [--from 1] [--parallel 2] [--minutes 600] [--length short] [--rate 3000] [--power] [--result soak-active-active.json]`,
    );
    return WRONG_ARGUMENTS;
  }
  const obstacle = whySitesNotPlayable();
  if (obstacle !== undefined) {
    say(`skipped: ${obstacle}`);
    return NOT_POSSIBLE;
  }
  Object.assign(process.env, await builtPrograms(ROOT));
  const verdicts: SitesVerdict[] = [];
  onInterrupt(() => summarize(verdicts, wanted));
  await playAll(wanted, verdicts);
  return summarize(verdicts, wanted);
}

function wantedOf(args: readonly string[]): WantedSites | string {
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  try {
    const options = {
      seeds: text("1000"),
      from: text("1"),
      parallel: text("2"),
      minutes: text("600"),
      length: text("short"),
      result: text("soak-active-active.json"),
      rate: { type: "string" },
      power: { type: "boolean", default: false },
    } as const;
    const { values } = parseArgs({ args: [...args], options });
    const { seeds, from, parallel, minutes, rate, power, result } = values;
    const length = (Object.keys(LENGTHS) as Length[]).find((each) => each === values.length);
    if (length === undefined) return `--length is ${Object.keys(LENGTHS).join(" or ")}, not "${values.length}"`;
    const wrong = notWhole({ seeds, from, parallel, minutes, ...(rate === undefined ? {} : { rate }) });
    if (wrong !== undefined) return wrong;
    return {
      seeds: Number(seeds),
      from: Number(from),
      parallel: Number(parallel),
      minutes: Number(minutes),
      length,
      rate: rate === undefined ? undefined : Number(rate),
      power,
      result,
    };
  } catch (error) {
    return messageOf(error);
  }
}

/** Plays the seeds, some at a time; what is known is in the file of the result after each. */
async function playAll(wanted: WantedSites, verdicts: SitesVerdict[]): Promise<void> {
  const { seeds, from, parallel, minutes, result } = wanted;
  const until = performance.now() + minutes * 60_000;
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + seeds && performance.now() < until) {
      const seed = next++;
      const story: string[] = [];
      const verdict = await runSitesSeed(seed, wanted, (line) => void story.push(line));
      verdicts.push(verdict);
      writeFileSync(result, `${JSON.stringify({ ...wanted, verdicts }, undefined, 1)}\n`);
      say(lineOf(verdict, verdicts.length, seeds));
      if (verdict.failures.length > 0)
        for (const line of [...verdict.failures, ...story, replay(verdict, wanted)]) say(`    ${line.slice(0, 2_000)}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

function lineOf(verdict: SitesVerdict, done: number, of: number): string {
  const { seed, acts, requests, acknowledged, unknown, drainedMs, equalMs, failures } = verdict;
  return (
    `${done}/${of}  seed ${seed} ${failures.length === 0 ? "passed" : "FAILED"}: ${acts} acts, ${requests} requests, ` +
    `${acknowledged} acknowledged writes looked for, ${unknown} unknown, drained in ${drainedMs} ms, equal ${equalMs} ms later`
  );
}

function summarize(verdicts: readonly SitesVerdict[], wanted: WantedSites): number {
  const sum = (of: (verdict: SitesVerdict) => number): number =>
    verdicts.reduce((all, verdict) => all + of(verdict), 0);
  const bad = verdicts.filter(({ failures }) => failures.length > 0);
  say(
    `${verdicts.length} seeds, ${bad.length} failed: ${sum(({ acts }) => acts)} acts, ${sum(({ requests }) => requests)} requests, ` +
      `${sum(({ acknowledged }) => acknowledged)} acknowledged writes looked for, ${sum(({ unknown }) => unknown)} unknown; ` +
      `${verdicts.filter(({ equalMs }) => equalMs <= EQUAL_WITHIN_MS).length} held the same within ${EQUAL_WITHIN_MS} ms after all was everywhere, ` +
      `the slowest after ${Math.max(0, ...verdicts.map(({ equalMs }) => equalMs))} ms; ${wanted.result}`,
  );
  for (const verdict of bad) say(`  ${replay(verdict, wanted)}`);
  return bad.length === 0 ? 0 : 1;
}

function replay({ seed }: SitesVerdict, { length, rate, power }: WantedSites): string {
  const at = `${rate === undefined ? "" : ` --rate ${rate}`}${power ? " --power" : ""}`;
  return `again: npm run soak:active-active -- --seeds 1 --from ${seed} --length ${length}${at}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
