import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";

const VECTORS = 2_000;
/** So many that a machine with other work answers the other client before they are over. */
const SEARCHES = 1_500;
const engine = engineNames().find((name) => name.startsWith("redis-8"));
const skip = engine === undefined ? "no engine here has vector sets" : false;

test("searches that wait for a thread of the engine keep no other client waiting", { skip }, async () => {
  const [served, proxy] = await startAll(startEngine({ engine }), startProxy());
  await using _stopping = {
    [Symbol.asyncDispose]: () => Promise.all([served.stop(), proxy.stop()]).then(() => undefined),
  };
  const endpoint = endpointFor(served);
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const [searcher, other] = await Promise.all([RawClient.connect(endpoint.listen), RawClient.connect(endpoint.listen)]);
  searcher.write(Buffer.concat(Array.from({ length: VECTORS }, (_, at) => encodeCommand(addition(at)))));
  assert.deepEqual(new Set(await searcher.readMany(VECTORS)), new Set([1]));
  await other.ask("SET", "k", "v");

  const search = encodeCommand(["VSIM", "vectors", "ELE", "e0", "COUNT", 1_000, "TRUTH"]);
  searcher.write(Buffer.concat(Array.from({ length: SEARCHES }, () => search)));
  await searcher.read(); // the others are behind it
  assert.equal(await other.ask("GET", "k"), "v");
  assert.ok(searcher.unread.length < SEARCHES - 1, "the other client had its answer before the searches were over");
  assert.equal((await searcher.readMany(SEARCHES - 1)).length, SEARCHES - 1);
});

function addition(at: number) {
  const vector = Array.from({ length: 32 }, (_, dimension) => Math.sin(at * 31 + dimension));
  return ["VADD", "vectors", "VALUES", vector.length, ...vector, `e${at}`];
}
