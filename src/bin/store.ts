#!/usr/bin/env node
import { reportAndExit } from "./exit.ts";

/** Each program of the image, loaded only when it is the one that runs. */
const PROGRAMS: Readonly<Record<string, () => Promise<{ main(args: readonly string[]): Promise<void> }>>> = {
  operator: () => import("./operator.ts"),
  agent: () => import("./agent.ts"),
  starter: () => import("./starter.ts"),
  proxy: () => import("./proxy.ts"),
  link: () => import("./link.ts"),
  rigger: () => import("./rigger.ts"),
  definitions: () => import("./definitions.ts"),
  world: () => import("./world.ts"),
};

const [name = "", ...args] = process.argv.slice(2);
const load = PROGRAMS[name];
if (load === undefined) {
  process.stderr.write(`store: unknown program "${name}"; one of: ${Object.keys(PROGRAMS).join(", ")}\n`);
  process.exitCode = 2;
} else {
  await load()
    .then((program) => program.main(args))
    .catch(reportAndExit);
}
