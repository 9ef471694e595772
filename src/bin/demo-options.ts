import { parseArgs } from "node:util";
import { whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases, type KeptRelease } from "../../scripts/releases/history.ts";
import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "./faults.ts";

const KEPT = keptReleases();

/** For a person who asks. */
export const DEMO_USAGE =
  "usage: npm run demo -- [--from <version>] [--keep] [--connections 50] [--gap-ms 20]\n" +
  `  --from <version>   begin with the programs of an older release, built from its commit: ${versionsOf(KEPT)};\n` +
  "                     without it, those of this checkout stand for both releases\n" +
  "  --keep             keep the local Kubernetes running afterwards, for kubectl, until Ctrl-C\n" +
  "  --connections <n>  client connections, 1 to 1000\n" +
  "  --gap-ms <n>       pause of each connection between two requests, 0 to 1000 milliseconds";

/** What the command line of the demo asks for. */
export interface DemoOptions {
  /** The release to begin with; undefined for this checkout under an older label. */
  readonly from: KeptRelease | undefined;
  readonly keep: boolean;
  readonly connections: number;
  readonly gapMs: number;
}

/** BIN_USAGE for what it does not know, BIN_RELEASE_MISSING for a release that cannot be built here. */
export async function readDemoOptions(args: readonly string[]): Promise<DemoOptions> {
  const parsed = (() => {
    try {
      return parseArgs({
        args: [...args],
        options: {
          from: { type: "string" },
          keep: { type: "boolean", default: false },
          connections: { type: "string", default: "50" },
          "gap-ms": { type: "string", default: "20" },
        },
      }).values;
    } catch (error) {
      throw new Fault(faults.usage, `${messageOf(error)}\n${DEMO_USAGE}`, {}, error);
    }
  })();
  const whole = (name: "connections" | "gap-ms", min: number, max: number): number => {
    const value = Number(parsed[name]);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new Fault(faults.usage, `--${name} is "${parsed[name]}", but must be ${min} to ${max}\n${DEMO_USAGE}`);
  };
  const from = parsed.from === undefined ? undefined : await findKept(parsed.from);
  return { from, keep: parsed.keep, connections: whole("connections", 1, 1000), gapMs: whole("gap-ms", 0, 1000) };
}

async function findKept(version: string): Promise<KeptRelease> {
  const kept = KEPT.find((one) => one.version === version);
  if (kept === undefined)
    throw new Fault(faults.usage, `--from is "${version}", but must be one of ${versionsOf(KEPT)}\n${DEMO_USAGE}`);
  const obstacle = await whyNotBuildable(kept);
  if (obstacle !== undefined) throw new Fault(faults.releaseMissing, obstacle);
  return kept;
}

function versionsOf(kept: readonly KeptRelease[]): string {
  return kept.map(({ version }) => version).join(", ");
}
