import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine, loopbackAddress } from "../../../../test/kit/engines/engine.ts";
import { addressOf } from "../../../../test/kit/engines/proxy.ts";
import { ScriptedEngine } from "../../../../test/kit/engines/scripted-engine.ts";
import { servedAt } from "../../../../test/kit/links/greeted-site.ts";
import { startLink } from "../../../../test/kit/links/link-process.ts";
import { listening, ownCertificate } from "../../../../test/kit/links/listening.ts";
import { NOTHING } from "../../../core/merge/operations/version-vector.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { until } from "#kit/testing/until";
import { ownOperations } from "../transport/compared-frames.ts";
import { greet, type Greeted, type Introduction } from "../transport/greet.ts";

const PATIENCE = { withinMs: 60_000 };

/** A link of site 1 at that engine, whose other sites take connections and say nothing. */
async function startBeginning(engine: Address) {
  await using stack = new AsyncDisposableStack();
  const silent = stack.use(await listening(() => new Promise(() => {})));
  const link = stack.use(await startLink());
  const listen = { host: loopbackAddress(), port: 9444 };
  await link.configure(servedAt(engine, listen, silent.at));
  const owned = stack.move();
  /** Site 2 asks, and says so of its question. */
  const ask = (said: Partial<Introduction>): Promise<Greeted> => {
    const remote = { ...ownCertificate, id: 1, name: "east", address: listen };
    const introduction = { guid: "b0a1", from: 2, to: 1, received: NOTHING, origin: 2, comparing: true, ...said };
    return greet(remote, ownCertificate, introduction, silent.signal);
  };
  return { ask, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The first answer to a site that asks for its own operations. */
async function firstAnswer({ ask }: Awaited<ReturnType<typeof startBeginning>>): Promise<Greeted> {
  let answered: Greeted | undefined;
  const isAnswered = async (): Promise<boolean> => {
    answered = await ask({ asksOwn: true }).catch(() => undefined); // it has not read anything yet
    return answered !== undefined;
  };
  await until("it answers", isAnswered, { ...PATIENCE, everyMs: 10 });
  return answered ?? assert.fail("it answers");
}

const NOT_FOLLOWED = /primary of this site is not followed/;

await test("a site whose engine reads its disk says so to one that asks for its own operations, and to no other one", async () => {
  await using engine = await ScriptedEngine.start();
  engine.answer = () => "-LOADING Redis is loading the dataset in memory\r\n";
  await using begins = await startBeginning(engine);
  const { connection, greeting } = await firstAnswer(begins);
  connection.destroy();
  assert.equal(greeting.loading, true);
  await assert.rejects(begins.ask({}), NOT_FOLLOWED);
  await assert.rejects(begins.ask({ comparing: false }), NOT_FOLLOWED);
});

await test("a site that still asks the others gives what it has kept to one that asks for its own operations, and nothing to any other one", async () => {
  await using engine = await startEngine();
  await using begins = await startBeginning(addressOf(engine));
  const answered = await firstAnswer(begins);
  assert.deepEqual([answered.greeting.loading, answered.greeting.givesOwn], [undefined, true]);
  assert.deepEqual(await ownOperations(answered), []);
  answered.connection.destroy();
  await assert.rejects(begins.ask({}), NOT_FOLLOWED);
});
