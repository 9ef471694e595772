import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterSpec } from "../../../core/api/cluster-spec.ts";
import { clusterView, facts, node } from "../../../../test/kit/facts/cluster-view.ts";
import { testApi } from "#kubernetes/testing/api-server";
import { FakeClock } from "#kit/testing/fake-clock";
import { secretTexts } from "../../../../test/kit/world/cluster-authority.ts";
import { Secrets } from "#kit/kube/builtin";
import type { EventText } from "#kit/kube/event-series";
import { readCertificate } from "#kit/pki/certificate";
import { authoritiesIn, signersOf } from "#kit/pki/trust";
import { keepSecrets } from "../objects/secrets.ts";
import { rotateAuthority } from "./authority.ts";

const namespace = "default";
const DAY_MS = 86_400_000;
const LOGIN = { revision: 1, current: { username: "admin", password: "w0rd" } };

await using api = await testApi();
const { kube } = api;
const clock = new FakeClock(new Date());
const able = facts({ nodes: [1, 2, 3].map((uid) => node(uid, { capabilities: ["cluster-access"] })) });
const owner = {
  namespace,
  view: clusterView({ cluster: able, spec: clusterSpec.parse({}) }),
  rec: {
    apiVersion: "app.storeenterprise.io/v1",
    kind: "StoreEnterpriseCluster",
    metadata: { name: "rec", namespace, uid: "1" },
  },
} as unknown as Parameters<typeof rotateAuthority>[1];
const events: string[] = [];
/** What the nodes have mounted. */
let mounts: Readonly<Record<string, string>> = {};

/** One pass of an operator that knows nothing of the pass before, and what it found. */
async function pass(): Promise<readonly string[]> {
  await keepSecrets({ kube, clock }, owner);
  const findings = await rotateAuthority(
    {
      kube,
      clock,
      cache: { databases: { list: () => [] } as never },
      connections: { reread: () => undefined },
      events: { recordAhead } as never,
      linkedSites: () => [],
      askNodes: async () => [{ pod: "rec-0", said: { access_revision: 1, ...said() } }],
    },
    owner,
  );
  return findings.map(({ id }) => id);
}

async function recordAhead(_of: unknown, texts: readonly EventText[], store: () => Promise<void>): Promise<void> {
  events.push(...texts.map(({ reason }) => reason));
  await store();
}

function said() {
  const { "ca.crt": trusted = "", "tls.crt": shown = "", "engine.crt": engine = "" } = mounts;
  return { trusts: [...authoritiesIn(trusted)], shows: [...signersOf([shown, engine], trusted)] };
}

const mount = async () => (mounts = await secretTexts(kube, { name: "rec-node-tls", namespace }));
const authority = () => secretTexts(kube, { name: "rec-ca", namespace });

await test("an authority is replaced before its end, unasked, and each step waits for the nodes", async () => {
  await pass();
  const body = { stringData: { "access.json": JSON.stringify(LOGIN) } };
  await kube.patch(Secrets, { name: "rec-node-tls", namespace }, { type: "merge", body });
  const { "ca.crt": first = "" } = await authority();
  await clock.advance(3284 * DAY_MS);
  assert.deepEqual(
    [await pass(), Object.keys(await authority())],
    [[], ["ca.crt", "ca.key"]],
    "nine years later it rests",
  );

  await clock.advance(2 * DAY_MS);
  await mount();
  assert.deepEqual(await pass(), []);
  const { "next.crt": next = "" } = await authority();
  assert.notEqual(readCertificate(next).subject, readCertificate(first).subject);
  assert.deepEqual(await pass(), ["RotationWaits", "AuthorityEnds"], "the nodes have not read it");
  assert.deepEqual(await pass(), ["RotationWaits", "AuthorityEnds"]);
  assert.equal((await authority())["next.crt"], next, "no other one is made");
  await mount();
  assert.deepEqual(await pass(), ["NextAuthorityOffered", "AuthorityEnds"], "clients have a week");

  await clock.advance(7 * DAY_MS);
  assert.deepEqual(await pass(), []);
  const used = await authority();
  assert.deepEqual([used["ca.crt"], used["former.crt"], Object.keys(used).length], [next, first, 3]);
  assert.deepEqual(await pass(), ["RotationWaits"], "the nodes show what the former one has signed");
  await mount();
  assert.equal(mounts["ca.crt"], first + next);
  assert.deepEqual(signersOf([mounts["tls.crt"] ?? "", mounts["engine.crt"] ?? ""], first + next), authoritiesIn(next));
  assert.deepEqual(await pass(), []);
  assert.deepEqual(Object.keys(await authority()), ["ca.crt", "ca.key"]);
  await pass();
  await mount();
  assert.deepEqual([mounts["ca.crt"], await pass()], [next, []]);
  assert.deepEqual(events, ["AuthorityRotationBegan", "AuthorityRotated", "FormerAuthorityEnded"]);
});
