import { format } from "prettier";
import { COMMAND_TABLE } from "../../../src/programs/proxy/protocol/table/table.ts";
import { isOfCluster } from "../../../src/programs/proxy/protocol/table/of-cluster.ts";
import { engineNames, startEngine } from "./engine.ts";

/** Classes of commands that engines execute, and check themselves. */
const OF_ENGINES: ReadonlySet<string> = new Set([
  ...["read", "write", "long", "script", "scripts", "transaction", "blocking", "wait", "subscription", "caching"],
  ...["tracking", "monitor", "scan", "container", "refused", "hostile", "unknown"],
]);

/** The text of src/programs/proxy/protocol/table/arities.ts, as the engines of this machine say it. */
export async function arityTable(): Promise<string> {
  const names = [...COMMAND_TABLE.values()].filter(
    ({ name, commandClass }) => !OF_ENGINES.has(commandClass) || isOfCluster(name),
  );
  const arities: Record<string, number> = {};
  for (const engine of engineNames()) {
    await using started = await startEngine({ engine });
    for (const { name } of names) {
      const reply = await started.call("COMMAND", "INFO", name);
      const [command] = Array.isArray(reply) ? reply : [];
      if (Array.isArray(command)) arities[name] = Number(command[1]);
    }
  }
  const sorted = Object.fromEntries(Object.entries(arities).sort(([one], [other]) => (one < other ? -1 : 1)));
  const text = `${COMMENT}export const ARITIES: Readonly<Record<string, number>> = ${JSON.stringify(sorted)};\n`;
  return format(text, { parser: "typescript", printWidth: 120 });
}

const COMMENT = `/**
 * With how many words engines take the commands that the proxy answers in their place; negative: so many at least.
 * \`node scripts/generate-syntax.ts\` writes this file.
 */
`;
