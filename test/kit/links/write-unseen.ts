import { LINK_DATABASE, LINK_KEYS } from "../../../src/mechanisms/site/saved/marks.ts";
import type { TestEngine } from "../engines/engine.ts";

/** Has an engine execute commands as if its own link had written them: no link captures what they do. */
export async function writeUnseen(engine: TestEngine, commands: readonly string[]): Promise<void> {
  const calls = commands.map((command) => `redis.call(${command.split(" ").map(quoted).join(",")})`);
  const marked = `redis.call("SELECT", ${LINK_DATABASE}) redis.call("SET", "${LINK_KEYS.mark}", "unseen") redis.call("SELECT", 0)`;
  await engine.call("EVAL", [marked, ...calls].join("\n"), "0");
}

function quoted(word: string): string {
  return JSON.stringify(word);
}
