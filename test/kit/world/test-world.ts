import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "#kit/base/log";
import { startWorld, type World } from "#kubernetes";
import { nodeImages } from "../kubernetes/pods.ts";

/** A world of its own for a test; disposal removes it and its folder. */
export interface TestWorld extends AsyncDisposable {
  readonly dir: string;
  /** The world as it runs now. */
  world(): World;
  restart(): Promise<void>;
}

/** Starts a world whose one image is `node:1`, with short pauses between restarts. */
export async function testWorld(): Promise<TestWorld> {
  await using stack = new AsyncDisposableStack();
  const lines: string[] = [];
  if (process.env["SHOW_LOG"] !== undefined) stack.defer(() => void process.stderr.write(lines.join("")));
  const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "world-"))).path;
  const log = jsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  const start = (): Promise<World> =>
    startWorld({ dir, log, images: nodeImages, retry: { baseMs: 300, maxMs: 3_000 } });
  let world = await start();
  stack.defer(() => world.stop());
  const owned = stack.move();
  return {
    dir,
    world: () => world,
    restart: async () => {
      await world.stop();
      world = await start();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
