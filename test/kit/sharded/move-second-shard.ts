import { addressOf, done } from "../engines/proxy.ts";
import type { TestEngine } from "../engines/engine.ts";
import { demoteBeside, promoteBeside, switchOver } from "../engines/switchover.ts";
import type { Sharded } from "./sharded.ts";

/** Moves the second shard to `replica`, back, and so on, so many times: with clients held, or as if the proxy had missed each move. */
export async function moveSecondShard(
  sharded: Sharded,
  replica: TestEngine,
  { moves, isHeld }: { readonly moves: number; readonly isHeld: boolean },
): Promise<void> {
  const [, second] = sharded.engines;
  if (second === undefined) throw new Error("there is no second shard");
  let [from, to] = [second, replica];
  for (let epoch = 2; epoch < moves + 2; epoch++) {
    if (isHeld) await switchOver([sharded.proxy], epoch, from, to, 2);
    else {
      await promoteBeside(from, to);
      await demoteBeside(from, to);
      await done(sharded.proxy.send({ op: "release", bdb: 1, shard: 2, epoch, target: addressOf(to) }));
    }
    [from, to] = [to, from];
  }
}
