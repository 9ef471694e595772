import { messageOf } from "../base/fault.ts";
import { startLoad, type Load } from "../demo/load.ts";
import type { LoadAnswer, LoadCommand } from "../demo/load-process.ts";

let load: Load | undefined;
let last: Promise<void> = Promise.resolve();

// one after the other: answers come in the order of the commands
process.on("message", (command: LoadCommand) => {
  last = last
    .then(() => answer(command))
    .then((value) => send({ ok: true, value }))
    .catch((error: unknown) => send({ ok: false, message: messageOf(error) }));
});
process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches the whole terminal group; the story decides when the load ends.
process.on("SIGINT", () => undefined);

async function answer(command: LoadCommand): Promise<Extract<LoadAnswer, { ok: true }>["value"]> {
  if (command.op === "start") {
    load = await startLoad(command.options);
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

function send(reply: LoadAnswer): void {
  process.send?.(reply);
}
