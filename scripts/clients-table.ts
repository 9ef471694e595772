// Prints the table of client libraries of docs/upgrades.md, made anew: what each does when its connection ends, and what it sees of an
// upgrade of its database and a replacement of each node. With "shards", prints that of docs/shards.md: 1 shard becomes 4, then 3, and goes to another version.
//   npm run clients:table
//   npm run clients:table -- shards
// Exit codes: 0 printed, 1 a run failed, or no order of the operations explains its answers, 3 not possible on this machine: a language is missing.
import { startEngine } from "../test/kit/engines/engine.ts";
import { endConnection } from "../test/kit/clients/ended.ts";
import { libraries, versionOf, type Library } from "../test/kit/clients/libraries.ts";
import { playMoves, type Moved } from "../test/kit/clients/moved.ts";
import { playReshapes } from "../test/kit/clients/reshaped.ts";
import { reshapedTableOf, tableOf, type RunRow } from "../test/kit/clients/table.ts";
import { check } from "../test/kit/linearizability/check.ts";
import { allowResends, byKey } from "../test/kit/linearizability/history.ts";

const NOT_POSSIBLE = 3;
/** go-redis and redisson do without an option, the others later or never. */
const SENT_AGAIN_AFTER_MS = 3_000;

const { found, missing } = await libraries();
if (missing.length > 0) {
  process.stderr.write(`${missing.join("\n")}\n`);
  process.exitCode = NOT_POSSIBLE;
} else
  process.stdout.write(`${process.argv[2] === "shards" ? await shardsTable(found) : tableOf(await rowsFor(found))}\n`);

async function shardsTable(found: readonly Library[]): Promise<string> {
  const reshaped = await playReshapes(found);
  checkOrder(reshaped);
  const rows = reshaped.map(async (one) => ({ ...one, version: await versionOf(one.name) }));
  for (const { name, mode, failures } of reshaped)
    for (const why of failures) process.stderr.write(`${name}, ${mode}: ${why}\n`);
  return reshapedTableOf(await Promise.all(rows));
}

async function rowsFor(found: readonly Library[]): Promise<readonly RunRow[]> {
  const moved = { default: await playMoves(found, "default"), several: await playMoves(found, "several") };
  checkOrder(moved.default);
  checkOrder(moved.several);
  await using engine = await startEngine();
  const rows: RunRow[] = [];
  for (const library of found) {
    const ended: RunRow["ended"] = {
      default: await endConnection(library, "default", engine),
      several: await endConnection(library, "several", engine),
    };
    const of = (all: readonly Moved[]): Moved => only(all, library);
    const seen = { default: of(moved.default), several: of(moved.several) };
    rows.push({ name: library.name, version: await versionOf(library.name), ended, moved: seen });
  }
  return rows;
}

/** Nothing that was answered is lost, and nothing was done twice, unless a library sent it twice. */
function checkOrder(moved: readonly Moved[]): void {
  const all = moved.flatMap(({ operations }) => operations);
  for (const [key, history] of byKey(allowResends(all, SENT_AGAIN_AFTER_MS))) {
    const verdict = check(history);
    if (verdict.kind !== "linearizable") throw new Error(`${key}: ${JSON.stringify(verdict, undefined, 1)}`);
  }
}

function only(all: readonly Moved[], { name }: Library): Moved {
  const one = all.find((moved) => moved.name === name);
  if (one === undefined) throw new Error(`${name} was not played`);
  return one;
}
