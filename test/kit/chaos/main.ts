// Plays one seed, alone in the namespaces that run.ts makes, and prints what it does and then its verdict as JSON:
//   node main.ts SEED MOST FOLDER SETTINGS
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "#kit/base/fault";
import { play } from "./play.ts";
import { NODES, startScene, type Scene } from "./scene.ts";
import { scheduleOf } from "./schedule.ts";
import { judge, type Verdict } from "./verdict.ts";

const [seed = "", most = "", folder = "", settings = ""] = process.argv.slice(2);
const schedule = scheduleOf(Number(seed), Number(most));
await using scene = await startScene(folder, JSON.parse(settings), schedule).catch((error: unknown) => {
  throw new Error(`nothing was played: ${whole(error)}`);
});
const verdict = await judged(scene);
process.stdout.write(`${JSON.stringify({ verdict })}\n`);
if (verdict.failures.length > 0)
  for (const node of NODES) writeFileSync(join(folder, `node-${node}.log`), scene.cluster.log(node));

/** What failed first, and then what its end made fail. */
function whole(error: unknown): string {
  if (!(error instanceof SuppressedError)) return messageOf(error);
  return `${whole(error.suppressed)}; then ${whole(error.error)}`;
}

async function judged(on: Scene): Promise<Verdict> {
  try {
    return await judge(
      on,
      schedule,
      await play(on, schedule, (line) => void process.stdout.write(`${JSON.stringify({ line })}\n`)),
    );
  } catch (error) {
    const { faults, moves } = schedule;
    const nothing = { changes: 0, operations: 0, answers: 0, acknowledged: 0, lost: 0, healedMs: 0 };
    return { seed: Number(seed), faults: faults.length, moves: moves.length, ...nothing, failures: [messageOf(error)] };
  }
}
