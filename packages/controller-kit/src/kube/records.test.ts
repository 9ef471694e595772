import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, answerStatus, reply, scriptedApi } from "../testing/scripted-api.ts";
import { ConfigMaps } from "./builtin.ts";
import { connect } from "./client.ts";
import { changeObject } from "./records.ts";

const ref = { name: "a", namespace: "ns" };

interface Tried {
  readonly puts: string[];
  readonly result: string | undefined;
}

/** Changes a ConfigMap on a server that answers the first `conflicts` writes with a conflict. */
async function changed(conflicts: number, data: Record<string, string> | undefined): Promise<Tried> {
  let left = conflicts;
  let version = 1;
  await using api = await scriptedApi(({ method }, response) => {
    if (method === "PUT" && left > 0) {
      left -= 1;
      version += 1;
      answerStatus(response, 409, "Conflict");
      return;
    }
    reply(response, configMap("a", String(version), { key: "old" }));
  });
  const kube = connect(api.config);
  const result = await changeObject(
    kube,
    ConfigMaps,
    ref,
    (current) => (data === undefined ? undefined : { ...current, data }),
    { attempts: 3 },
  );
  await kube.close();
  return {
    puts: api.asked
      .filter(({ method }) => method === "PUT")
      .map(({ body }) => JSON.parse(body).metadata.resourceVersion),
    result: result?.metadata.name,
  };
}

test("a change is written on the version that was read", async () => {
  assert.deepEqual(await changed(0, { key: "new" }), { puts: ["1"], result: "a" });
});

test("a change that meets a conflict is repeated on what is stored now", async () => {
  assert.deepEqual(await changed(2, { key: "new" }), { puts: ["1", "2", "3"], result: "a" });
});

test("a change that meets too many conflicts gives up", async () => {
  await assert.rejects(changed(3, { key: "new" }), { code: "KUBE_CONFLICT" });
});

for (const [name, data] of [
  ["the same", { key: "old" }],
  ["nothing", undefined],
] as const) {
  test(`a change that makes ${name} writes nothing`, async () => {
    assert.deepEqual(await changed(0, data), { puts: [], result: "a" });
  });
}

test("the change of an object that does not exist is undefined", async () => {
  await using api = await scriptedApi((_, response) => answerStatus(response, 404, "NotFound"));
  const kube = connect(api.config);
  assert.equal(await changeObject(kube, ConfigMaps, ref, (current) => current), undefined);
  await kube.close();
});
