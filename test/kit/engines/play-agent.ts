import { once } from "node:events";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { engineContainer } from "../../../src/mechanisms/starter/engine-container.ts";
import { engineChildren } from "../../../src/mechanisms/supervisor/engine-process.ts";
import { textOf } from "../../../src/ports/resp/reply.ts";
import { directivesWith } from "../facts/settings.ts";
import { callInstance, superviseBy } from "./supervised-node.ts";

// Plays the agent of a node, in a process that a test starts as the user of agents. It serves one database until its input ends,
// and prints what it found there and the process of its engine. Arguments: folder of the data, launch, what to write, and the folder
// that it shares with a starter; without that, its engine is its child, as with older releases.

const [data = "", launch = "1", value = "", shared] = process.argv.slice(2);

const container =
  shared === undefined ? undefined : await engineContainer(shared, { clock: systemClock, log: silentLog });
await container?.connected();
const node = await superviseBy(container ?? engineChildren(silentLog), data);
const wanted = node.primary({
  launch: Number(launch),
  fresh: launch === "1",
  directives: directivesWith({ persistence: "aofAlways" }),
});
await node.serve(wanted);
const found = await callInstance(wanted, "GET", "key");
await callInstance(wanted, "SET", "key", value);
const report = { found: found === null ? "" : textOf(found), engine: node.report().pid };
process.stdout.write(`${JSON.stringify(report)}\n`);
process.stdin.resume();
await once(process.stdin, "end");
await node.supervisor.stopAll();
container?.close();
process.exit(0);
