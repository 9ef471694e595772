import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { PARAMETERS } from "../../../core/api/settings/parameter-table.ts";
import { textOf } from "../../../ports/resp/reply.ts";

for (const engine of engineNames())
  test(`CONFIG SET of each parameter goes to the record exactly when ${engine} has it`, async () => {
    await using behind = await startEngine({ engine });
    await using proxy = await startProxy();
    const endpoint = endpointFor(behind);
    proxy.onParameters(() => Promise.resolve({ refused: { code: "KEPT", message: "in no record", remedy: "" } }));
    await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
    const client = await RawClient.connect(endpoint.listen);
    const shown = await behind.call("CONFIG", "GET", "*");
    const names = new Set(Array.isArray(shown) ? shown.map(textOf) : []);
    for (const [name, { fallback, since = "" }] of Object.entries(PARAMETERS)) {
      const other = fallback === "5" ? "6" : name === "notify-keyspace-events" ? "KEA" : "5";
      const reply = String(await client.ask("CONFIG", "SET", name, other));
      if (names.has(name)) assert.match(reply, /: CONFIG SET of \S+ failed: in no record/, name);
      else
        assert.equal(
          reply,
          `-ERR store: CONFIG SET of ${name} is not available: the engine of the database lacks it: engines have it from version ${since}`,
        );
    }
    client.close();
  });

test("each engine has the default of each parameter that it has, and of all others only those of later versions", async () => {
  for (const engine of engineNames()) {
    await using started = await startEngine({ engine });
    const shown = await started.call("CONFIG", "GET", "*");
    const texts = Array.isArray(shown) ? shown.map(textOf) : [];
    const values = new Map(texts.flatMap((name, i) => (i % 2 === 0 ? [[name, texts[i + 1]]] : [])));
    for (const [name, { fallback, since }] of Object.entries(PARAMETERS))
      if (since === undefined || !engine.startsWith("redis-7.0.")) assert.equal(values.get(name), fallback, engine);
      else assert.equal(values.has(name), false, name);
  }
});
