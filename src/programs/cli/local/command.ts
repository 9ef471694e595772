import { Command, Option } from "commander";
import type { CliContext } from "../console/context.ts";
import { takeDown } from "./down.ts";
import type { Down } from "./down.ts";
import { describeStatus, localStatus } from "./status.ts";
import { bringUp } from "./up.ts";
import { kubeconfigPath, worldFolder } from "./world-file.ts";

interface DirOption {
  readonly dir?: string;
}

const SAID: Readonly<Record<Down, string>> = {
  "was-not-running": "was not running",
  stopped: "is stopped; its state stays",
  killed: "did not stop in time and was killed; its state stays",
};

/** `storectl local`: the world on this machine. */
export function localCommand({ env, print, clock, store }: CliContext): Command {
  const local = new Command("local").description("a Kubernetes on this machine, with pods as processes");
  local
    .command("up")
    .description("start the world and wait until it is ready")
    .addOption(dirOption())
    .action(async ({ dir }: DirOption) => {
      const folder = worldFolder(dir, env);
      const { world, already } = await bringUp(folder, store);
      print(`The world in ${folder} ${already ? "is up already" : "is up"}: ${world.url}\n`);
      print(`  export KUBECONFIG=${kubeconfigPath(folder)}\n`);
    });
  local
    .command("down")
    .description("stop the world and every process of it; its state stays")
    .addOption(dirOption())
    .action(async ({ dir }: DirOption) => {
      const folder = worldFolder(dir, env);
      print(`The world in ${folder} ${SAID[await takeDown(folder, clock)]}.\n`);
    });
  local
    .command("status")
    .description("say what runs")
    .addOption(dirOption())
    .addOption(new Option("-o, --output <form>", "form of the answer").choices(["text", "json"]).default("text"))
    .action(async ({ dir, output }: DirOption & { readonly output: string }) => {
      const status = await localStatus(worldFolder(dir, env));
      print(output === "json" ? `${JSON.stringify(status, undefined, 2)}\n` : describeStatus(status));
    });
  return local;
}

function dirOption(): Option {
  return new Option("--dir <folder>", "folder of the world (default: $STORE_LOCAL_DIR, else .local here)");
}
