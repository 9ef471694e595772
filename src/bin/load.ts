import { createInterface } from "node:readline";
import { messageOf } from "#kit/base/fault";
import { startClients, type Load } from "../programs/demo/load/clients.ts";
import type { LoadAnswer, LoadCommand } from "../programs/demo/load/load-process.ts";

const USAGE =
  "usage: load\n  clients of one database; takes commands as lines of JSON from its input, and answers each with a line\n";
const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  const isHelp = argument === "--help" || argument === "-h";
  const [output, text] = isHelp
    ? [process.stdout, USAGE]
    : [process.stderr, `load: it takes no "${argument}"\n${USAGE}`];
  output.write(text);
  process.exit(isHelp ? 0 : 2);
}

let load: Load | undefined;

// Ctrl-C reaches the whole terminal group, but the scenario decides when the load ends.
process.on("SIGINT", () => undefined);
// one after the other, so that answers come in the order of the commands
for await (const line of createInterface({ input: process.stdin })) {
  const command: LoadCommand = JSON.parse(line);
  const reply = await answer(command).then(
    (value): LoadAnswer => ({ ok: true, value }),
    (error: unknown): LoadAnswer => ({ ok: false, message: messageOf(error) }),
  );
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
process.exit(0);

async function answer(command: LoadCommand): Promise<Extract<LoadAnswer, { ok: true }>["value"]> {
  if (command.op === "start") {
    load = await startClients(command.options);
    return null;
  }
  if (load === undefined) throw new Error("the load has not been started");
  switch (command.op) {
    case "enter":
      load.enter(command.phase);
      return null;
    case "numbers":
      return load.numbers();
    case "engine":
      return load.engine();
    case "finish":
      return load.finish();
  }
}
