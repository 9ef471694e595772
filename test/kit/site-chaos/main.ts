// Plays one seed, and prints what it does and then its verdict as JSON: node main.ts SEED LENGTH RATE|all [power]
import { messageOf } from "#kit/base/fault";
import { playSites, type SitesVerdict } from "./play.ts";
import { siteScheduleOf, type Length, type SiteSchedule } from "./schedule.ts";
import { startSitesScene } from "./scene.ts";

const INTERRUPTED = 130;
// engines end with this process
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(INTERRUPTED));
const [seed = "", length = "", rate = "all", power = ""] = process.argv.slice(2);
const schedule = siteScheduleOf(Number(seed), { length: length as Length, power: power === "power" });
print({ line: JSON.stringify({ engines: schedule.engines, latencyMs: schedule.latencyMs }) });
print({ verdict: await judged(schedule) });
process.exit(0);

async function judged(on: SiteSchedule): Promise<SitesVerdict> {
  try {
    await using scene = await startSitesScene(on);
    return await playSites(scene, on, rate === "all" ? undefined : Number(rate), (line) => print({ line }));
  } catch (error) {
    const nothing = { requests: 0, acknowledged: 0, unknown: 0, drainedMs: 0, equalMs: 0 };
    return { seed: on.seed, acts: on.acts.length, ...nothing, failures: [messageOf(error)] };
  }
}

function print(said: { readonly line: string } | { readonly verdict: SitesVerdict }): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
