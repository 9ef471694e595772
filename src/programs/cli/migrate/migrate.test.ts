import assert from "node:assert/strict";
import { test } from "node:test";
import { Secrets } from "#kit/kube/builtin";
import { systemClock } from "#kit/reconcile/system-clock";
import { startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { startOperatorWorld, type OperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { callEngine } from "../../../ports/resp/engine-client.ts";
import { runStorectl } from "../storectl.ts";

const NAMESPACE = "default";
const PASSWORDS = { source: "of the source", database: "of the database" };

test("storectl migrate leads a service with a password into a database", async (t) => {
  await using world = await startOperatorWorld();
  const [source, target, proxy] = await startAll(
    startEngine({ password: PASSWORDS.source }),
    startEngine({ password: PASSWORDS.database }),
    startProxy(),
  );
  const endpoint = endpointFor(target, { password: PASSWORDS.database });
  try {
    await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
    await source.call("MSET", "one", 1, "two", 2);
    await makeDatabase(world, endpoint.listen);
    await steps(t.test.bind(t), world, source, { ...endpoint.listen, password: PASSWORDS.database });
  } finally {
    await Promise.all([source.stop(), target.stop(), proxy.stop()]);
  }
});

async function steps(
  step: typeof test,
  world: OperatorWorld,
  source: TestEngine,
  place: Address & { readonly password: string },
): Promise<void> {
  const uri = `redis://${source.host}`;
  const ask = (...command: readonly [string, ...string[]]) => callEngine({ ...place, timeoutMs: 10_000 }, ...command);

  await step("--check says what would be led in, and begins nothing", async () => {
    const { code, text } = await typed(world, [uri, "orders", "--secret", "old", "--check"]);
    assert.match(
      text,
      /^FROM +redis .*\nKEYS +2 in database 0\n(?:.*\n)*INTO +orders at redis .*\nSHARDS +1\nMEMORY +95/,
    );
    assert.deepEqual([code, await ask("DBSIZE")], [0, 0]);
  });

  await step("what is in the way is said with what to do, and without an answer nothing begins", async () => {
    await ask("SET", "in the way", "value");
    const { code, text } = await typed(world, [uri, "orders", "--secret", "old"]);
    assert.match(text, /\nMIGRATION_NOT_EMPTY: orders has 1 keys\.\n +do: .*--replace/);
    assert.equal(code, 3);
    await assert.rejects(typed(world, [uri, "orders", "--check"]), /NOAUTH/);
    await assert.rejects(typed(world, [uri, "orders", "--secret", "none"]), { code: "CLI_REFUSED" });
    await assert.rejects(typed(world, [uri, "other", "--secret", "old"]), { code: "CLI_NO_DATABASE" });
    await assert.rejects(typed(world, [uri, "orders", "--secret", "old", "--replace"]), {
      code: "MIGRATION_NOT_AGREED",
    });
    assert.equal(await ask("DBSIZE"), 1);
  });

  await step("who does not agree to the cut-over leaves a source that goes on", async () => {
    const { code, text, questions } = await typed(world, [uri, "orders", "--secret", "old", "--replace"], ["y", "n"]);
    assert.deepEqual(questions, [
      "Delete the 1 keys of orders? [y/N] ",
      "Pause writes at the source, and cut over? [y/N] ",
    ]);
    assert.match(text, /following, 0 B behind; every key was compared, 0 open\n$/);
    assert.deepEqual([code, await source.call("INCR", "one"), await ask("DBSIZE")], [3, 2, 2]);
  });

  await step("with --replace and --yes it goes to its end, and the source refuses writes", async () => {
    const options = ["--secret", "old", "--replace", "--yes", "--pause", "30000"];
    const { code, text } = await typed(world, [uri, "orders", ...options]);
    assert.match(text, /\nCOPIED +2 keys, .*\n(?:.*\n)*UNDO +at the source: CONFIG SET min-replicas-to-write 0 /);
    assert.deepEqual([code, await ask("GET", "one"), await ask("DBSIZE")], [0, "2", 2]);
    await assert.rejects(source.call("INCR", "one"), /NOREPLICAS/);
  });
}

/** A database that serves there, as its objects say. */
async function makeDatabase({ kube }: OperatorWorld, { host, port }: Address): Promise<void> {
  const metadata = { name: "orders", namespace: NAMESPACE };
  for (const [name, password] of [
    ["old", PASSWORDS.source],
    ["redb-orders", PASSWORDS.database],
  ] as const)
    await kube.create(Secrets, { metadata: { name, namespace: NAMESPACE }, stringData: { password } });
  await kube.create(Databases, { metadata, spec: {} });
  const shard = { id: 1, slots: "0-16383", storeVersion: "7.2", state: "active", primary: 1, replicas: [] };
  const serving = { status: "active", databaseSecretName: "redb-orders", internalEndpoints: [{ host, port }] };
  const body = { status: { ...serving, shards: [shard] } };
  await kube.patch(Databases, metadata, { type: "merge", body }, { subresource: "status" });
}

async function typed({ kubeconfig }: OperatorWorld, words: readonly string[], answers?: readonly string[]) {
  const printed: string[] = [];
  const questions: string[] = [];
  const ask = (question: string): Promise<string> => {
    questions.push(question);
    return Promise.resolve(answers?.[questions.length - 1] ?? "");
  };
  const code = await runStorectl(["migrate", ...words], {
    env: { KUBECONFIG: kubeconfig },
    store: "",
    print: (text) => void printed.push(text),
    clock: systemClock,
    ...(answers === undefined ? {} : { ask }),
  });
  return { code, text: printed.join(""), questions };
}
