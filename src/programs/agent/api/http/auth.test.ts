import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterUser } from "../../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { authenticator, type Caller } from "./auth.ts";
import { hashPassword, matchesHash } from "../../credentials/password-hash.ts";

const credentials = { username: "admin@rec", password: "päss:word" };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const viewer: ClusterUser = { uid: 2, email: "v@x.org", name: "V", role: "db_viewer", secret: "rec-user-1" };

const hash = await hashPassword("a:long one");

const cases: readonly (readonly [rule: string, header: string | undefined, caller: Caller["name"] | undefined])[] = [
  ["the right pair", basic("admin@rec:päss:word"), "admin@rec"],
  ["the scheme in any case", basic("admin@rec:päss:word").replace("Basic", "bAsIc"), "admin@rec"],
  ["no header", undefined, undefined],
  ["another scheme", "Bearer abc", undefined],
  ["nothing in it", basic(":"), undefined],
  ["another user", basic("admin@re:päss:word"), undefined],
  ["a password that only begins right", basic("admin@rec:päss:wor"), undefined],
  ["a password that goes on", basic("admin@rec:päss:word "), undefined],
  ["more than any credentials need", basic("a".repeat(2_000)), undefined],
  ["what is no base64", "Basic !!!", undefined],
  ["a user with their password", basic("v@x.org:a:long one"), "v@x.org"],
  ["a user with another password", basic("v@x.org:a:long two"), undefined],
  ["a user with the administrator's password", basic("v@x.org:päss:word"), undefined],
  ["a user without a password", basic("v@x.org"), undefined],
];

for (const [rule, given, name] of [
  ["each of them", "admin@rec:next", "admin@rec"],
  ["one with another name", "other@rec:former", "other@rec"],
  ["no mixture of two", "other@rec:next", undefined],
  ["and no user with such a password", "v@x.org:next", undefined],
] as const)
  test(`while the password of the cluster changes: ${rule} ${name === undefined ? "is refused" : "is accepted"}`, async () => {
    const callerOf = authenticator({
      logins: () => [credentials, { ...credentials, password: "next" }, { username: "other@rec", password: "former" }],
      users: () => [viewer],
      hashIn: () => Promise.resolve(hash),
    });
    const caller = await callerOf(basic(given), "10.0.0.7");
    assert.deepEqual([caller?.name, caller?.isCluster], [name, name === undefined ? undefined : true]);
  });

for (const [rule, header, name] of cases) {
  test(`credentials: ${rule} ${name === undefined ? "is refused" : "is accepted"}`, async () => {
    const callerOf = authenticator({
      logins: () => [credentials],
      users: () => [viewer],
      hashIn: () => Promise.resolve(hash),
    });
    assert.equal((await callerOf(header, "10.0.0.7"))?.name, name);
  });
}

test("a user is not the cluster, and its administrator is", async () => {
  const callerOf = authenticator({
    logins: () => [credentials],
    users: () => [viewer],
    hashIn: async () => hash,
  });
  assert.deepEqual(await callerOf(basic("v@x.org:a:long one"), "10.0.0.7"), {
    name: "v@x.org",
    role: "db_viewer",
    isCluster: false,
    user: { uid: viewer.uid, secret: viewer.secret },
  });
  assert.deepEqual(await callerOf(basic("admin@rec:päss:word"), "10.0.0.7"), {
    name: "admin@rec",
    role: "admin",
    isCluster: true,
  });
});

test("a right password is accepted again without another hash, until the password or the user changes", async () => {
  let users: readonly ClusterUser[] = [viewer];
  const asked: string[] = [];
  const callerOf = authenticator({
    logins: () => [credentials],
    users: () => users,
    hashIn: (secret) => {
      asked.push(secret);
      return Promise.resolve(secret === viewer.secret ? hash : undefined);
    },
  });
  const right = basic("v@x.org:a:long one");
  for (const again of [1, 2, 3]) assert.equal((await callerOf(right, "10.0.0.7"))?.role, "db_viewer", `time ${again}`);
  assert.deepEqual(asked, ["rec-user-1"]);
  users = [{ ...viewer, role: "none" }];
  assert.equal((await callerOf(right, "10.0.0.7"))?.role, "none");
  users = [{ ...viewer, secret: "rec-user-2" }];
  assert.equal(await callerOf(right, "10.0.0.7"), undefined);
  users = [];
  assert.equal(await callerOf(right, "10.0.0.7"), undefined);
});

test("guesses are checked one after the other, too many of an address are refused, and keep no other address out", async () => {
  const callerOf = authenticator({ logins: () => [credentials], users: () => [viewer], hashIn: async () => hash });
  const guesses = Array.from({ length: 40 }, (_, index) => callerOf(basic(`v@x.org:guess ${index}`), "10.0.0.7"));
  let ended = 0;
  for (const guess of guesses) void guess.then(() => (ended += 1)).catch(() => undefined); // looked at below
  assert.equal((await callerOf(basic("v@x.org:a:long one"), "10.0.0.8"))?.role, "db_viewer");
  assert.ok(ended <= 3, `${ended} guesses came first`);
  const answers = await Promise.allSettled(guesses);
  const refused = answers.filter((answer) => answer.status === "rejected");
  assert.equal(refused.length, 24);
  for (const { reason } of refused) assert.ok(reason instanceof Fault && reason.code === "AGENT_TOO_MANY_LOGINS");
  assert.ok(answers.every((answer) => answer.status === "rejected" || answer.value === undefined));
});

test("who guesses names, or the password of another user, keeps a user of the same address out of nothing", async () => {
  const other = { ...viewer, uid: 3, email: "o@x.org", secret: "rec-user-2" };
  const callerOf = authenticator({
    logins: () => [credentials],
    users: () => [viewer, other],
    hashIn: async () => hash,
  });
  const guesses = Array.from({ length: 6 }, (_, index) => [
    callerOf(basic(`guessed${index}@x.org:guess`), "10.0.0.7"),
    callerOf(basic(`o@x.org:guess ${index}`), "10.0.0.7"),
  ]).flat();
  let ended = 0;
  for (const guess of guesses) void guess.then(() => (ended += 1)).catch(() => undefined); // looked at below
  assert.equal((await callerOf(basic("v@x.org:a:long one"), "10.0.0.7"))?.name, viewer.email);
  assert.ok(ended <= 4, `${ended} guesses came first`);
  const answers = await Promise.allSettled(guesses);
  assert.ok(answers.every((answer) => answer.status === "rejected" || answer.value === undefined));
});

test("a hash is salted, holds nothing of the password, and is right for that password alone", async () => {
  assert.notEqual(await hashPassword("a:long one"), hash);
  assert.doesNotMatch(hash, /long/);
  assert.deepEqual(await Promise.all([matchesHash("a:long one", hash), matchesHash("a:long on", hash)]), [true, false]);
  for (const broken of [undefined, "", "scrypt::", "nonsense"]) assert.equal(await matchesHash("", broken), false);
});
