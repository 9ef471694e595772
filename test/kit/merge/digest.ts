import { listOf, textOf } from "../../../src/ports/resp/reply.ts";
import type { TestEngine } from "../engines/engine.ts";
import type { Command } from "./commands.ts";

/** Every key with its value and the time when it expires, one a line. */
export async function digestOf(engine: TestEngine): Promise<readonly string[]> {
  const keys = listOf(await engine.call("KEYS", "*"))
    .map(textOf)
    .toSorted();
  return Promise.all(
    keys.map(async (key) => `${key} ${await shown(engine, key)} ${String(await engine.call("PEXPIRETIME", key))}`),
  );
}

/** The lines that not every engine has, each with its engine. */
export function differences(digests: readonly (readonly string[])[]): readonly string[] {
  return digests.flatMap((own, index) =>
    own.filter((line) => !digests.every((other) => other.includes(line))).map((line) => `${index + 1}: ${line}`),
  );
}

async function shown(engine: TestEngine, key: string): Promise<string> {
  const all = async (...args: Command): Promise<readonly string[]> => listOf(await engine.call(...args)).map(String);
  const type = textOf(await engine.call("TYPE", key));
  switch (type) {
    case "string":
      return `string ${String(await engine.call("GET", key))}`;
    case "list":
      return `list ${(await all("LRANGE", key, "0", "-1")).join(",")}`;
    case "set":
      return `set ${(await all("SMEMBERS", key)).toSorted().join(",")}`;
    case "zset":
      return `zset ${(await all("ZRANGE", key, "0", "-1", "WITHSCORES")).join(",")}`;
    default: {
      const flat = await all("HGETALL", key);
      const fields = flat.flatMap((field, i) => (i % 2 === 0 ? [`${field}=${flat[i + 1] ?? ""}`] : []));
      return `${type} ${fields.toSorted().join(",")}`;
    }
  }
}
