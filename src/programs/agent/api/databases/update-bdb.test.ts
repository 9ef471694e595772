import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import { authorityNamed, endpointCertificate } from "../../../../../test/kit/tls/certificates.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { BdbChange } from "../../../../ports/management/records.ts";
import type { StoredPasswords } from "../../credentials/stored-passwords.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { updateBdb } from "./update-bdb.ts";
import type { WriteContext } from "./write-context.ts";

const made = endpointCertificate(authorityNamed("theirs"), "orders.test");
const tls_certificate = { certificate: made.certificate, key: made.key };
const former = endpointCertificate(authorityNamed("former"), "orders.test");
const FORMER = { certificate: former.certificate, key: former.key, clientAuthorities: "" };
const TOO_MANY = Array.from({ length: 16 }, (_, index) => ({ password: `other ${index}` }));

interface Scene {
  readonly record?: Partial<DatabaseRecord>;
  readonly others?: StoredPasswords["set"]["others"];
  /** What becomes of the record between the write of the Secret and its own. */
  readonly meanwhile?: Partial<DatabaseRecord>;
  /** Why the user who asked may change nothing any more. */
  readonly refusal?: Error;
}

/** A database with a certificate and a password, and what a request makes of its record and its Secret. */
function scene({ record: given, others = [], meanwhile, refusal }: Scene) {
  const base = factsOf({ instances: [on(1, 1)], record: { replication: false } }).record;
  const { certificate, clientAuthorities } = FORMER;
  let record: DatabaseRecord = {
    ...base,
    certificate: { certificate, clientAuthorities },
    passwords: { revision: 3, engines: "closed" },
    ...given,
  };
  let secret: StoredPasswords = { set: { password: "former", others }, revision: 3, certificate: FORMER };
  const start = { record, secret };
  const now = new Date();
  const context = {
    config: { cluster: "rec", namespace: "default" },
    authorities: { keys: () => [] },
    members: { list: () => [] },
    clock: { now: () => now, uptimeMs: () => 0, sleep: () => Promise.resolve() },
    passwords: {
      read: async () => secret,
      change: async (_uid: number, change: (held: StoredPasswords) => StoredPasswords) => (secret = change(secret)),
    },
    records: {
      state: () => ({ createdTime: now.toISOString() }),
      databases: () => [record, { ...record, uid: record.uid + 1, name: "taken" }],
      changeDatabase: async (_uid: number, change: (old: DatabaseRecord) => DatabaseRecord) => {
        if (refusal !== undefined) throw refusal;
        const isLate = secret !== start.secret;
        return (record = change(isLate ? { ...record, ...meanwhile } : record));
      },
    },
  } as unknown as WriteContext; // these are all that the requests of this file use
  const update = (body: BdbChange) => updateBdb(context, record, body);
  return { update, start, now: () => ({ record, secret }) };
}

for (const [rule, given, body, code] of [
  ["a name that is taken", {}, { name: "taken" }, "AGENT_NAME_TAKEN"],
  ["another port", {}, { port: 12_345 }, "AGENT_UNCHANGEABLE"],
  ["more shards than the nodes have room for", {}, { shards_count: 2 }, "AGENT_INSUFFICIENT_RESOURCES"],
  ["the word for several shards where there is one", {}, { sharding: true }, "AGENT_INVALID_SHARDING"],
  [
    "settings while another change runs",
    { record: { status: "active-change-pending" } },
    { name: "renamed" },
    "AGENT_BUSY",
  ],
  ["a password too many", { others: TOO_MANY }, { authentication_redis_pass: "next" }, "AGENT_PASSWORDS"],
  [
    "settings that are possible beside a password too many",
    { others: TOO_MANY },
    { name: "renamed", authentication_redis_pass: "next" },
    "AGENT_PASSWORDS",
  ],
] as const)
  test(`a request with a certificate and ${rule} is refused and changes nothing`, async () => {
    const { update, start, now } = scene(given);
    await assert.rejects(update({ ...body, tls_certificate }), { code });
    assert.deepEqual(now(), start);
  });

test("a request that the record refuses after the Secret was written gives the Secret back what it had", async () => {
  const { update, start, now } = scene({ meanwhile: { status: "active-change-pending" } });
  const all = { name: "renamed", authentication_redis_pass: "next", tls_certificate };
  await assert.rejects(update(all), { code: "AGENT_BUSY" });
  const { record, secret } = now();
  assert.deepEqual(record, start.record);
  assert.deepEqual([secret.set, secret.certificate], [start.secret.set, FORMER]);
  assert.ok(secret.revision > start.secret.revision, "nodes that have read the one in between read again");
});

test("a request of a user who lost the right while it waited never reaches the Secret", async () => {
  for (const body of [{ authentication_redis_pass: "next" }, { tls_certificate }]) {
    const refusal = refuse(refusals.unauthorized, "the user was removed");
    const { update, start, now } = scene({ refusal });
    await assert.rejects(update(body), { code: "AGENT_UNAUTHORIZED" });
    assert.deepEqual(now(), start);
    assert.equal(now().secret, start.secret, "it was not written, and not given back either");
  }
});

test("certificate, settings and password of one request are written together", async () => {
  const { update, now } = scene({});
  await update({ name: "renamed", authentication_redis_pass: "next", tls_certificate });
  const { record, secret } = now();
  assert.deepEqual([record.name, record.certificate?.certificate], ["renamed", made.certificate]);
  assert.deepEqual([secret.set.password, secret.certificate?.key], ["next", made.key]);
  assert.equal(record.passwords?.revision, secret.revision);
});

test("a request that changes nothing writes nothing, whatever the state", async () => {
  const { update, start, now } = scene({ record: { status: "active-change-pending" } });
  const { record } = start;
  await update({ name: record.name, port: record.port, authentication_redis_pass: "former" });
  assert.deepEqual(now(), start);
});

test("a user agrees for one number of shards that misplaced keys go, and the next number that is asked for needs a new word", async () => {
  const { update, now } = scene({ record: { status: "active-change-pending", shardCount: 2 } });
  await update({ shards_count: 2, may_discard_data: true });
  assert.equal(now().record.mayDiscardMisplaced, true);
  const before = now().record;
  await update({ shards_count: 2 });
  await update({ shards_count: 2, may_discard_data: true });
  assert.equal(now().record, before, "nothing is new");
  await assert.rejects(update({ shards_count: 1, may_discard_data: true }), { code: "AGENT_NOTHING_DISCARDED" });
  assert.equal(now().record, before, "the number that serves has nothing to agree to");
  await update({ shards_count: 1 });
  assert.deepEqual([now().record.shardCount, now().record.mayDiscardMisplaced], [1, undefined]);
});
