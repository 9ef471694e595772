import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
import type { ClusterStateRecord, ClusterUser } from "../../../../core/api/records.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { FORWARDED_BY, ON_BEHALF_OF } from "../../../../ports/management/request.ts";
import type { RouteName } from "../../../../ports/management/routes.ts";
import { actFor, withRights } from "./acting-user.ts";
import type { Caller } from "../http/auth.ts";
import { callerOfUser } from "../http/auth.ts";
import { authorizeCaller } from "../http/authorize-caller.ts";
import { createUser, deleteUser, updateUser } from "./users.ts";

const MANAGER: ClusterUser = { uid: 2, email: "m@x.org", name: "M", role: "user_manager", secret: "rec-user-1" };
const VIEWER: ClusterUser = { uid: 3, email: "v@x.org", name: "V", role: "db_viewer", secret: "rec-user-2" };
const CLUSTER: Caller = { name: "admin@rec", role: "admin", isCluster: true };

interface Asked {
  readonly login: Caller | undefined;
  readonly known?: readonly ClusterUser[];
  /** A failure to read them when absent. */
  readonly current?: readonly ClusterUser[] | "unreachable";
  readonly isStale?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As whom a request goes on, or the code of its refusal. */
async function authorize(name: RouteName, asked: Asked): Promise<string | undefined> {
  const { login, known = [MANAGER, VIEWER], current = known, isStale = false, headers = {} } = asked;
  let caller: Caller | undefined;
  const context = {
    callerOf: async () => login,
    users: () => known,
    readUsers: async () => {
      if (current === "unreachable") throw new Error("no answer");
      return current;
    },
    isStale: () => isStale,
    notJoined: () => undefined,
  };
  const request = { headers, ip: "10.0.0.7" } as unknown as FastifyRequest; // nothing else of it is read
  try {
    await authorizeCaller(name, request, context, (one) => (caller = one));
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
  return caller?.name;
}

const manager = callerOfUser(MANAGER);
const passedOn = (mark?: string) => ({ [FORWARDED_BY]: "2", ...(mark === undefined ? {} : { [ON_BEHALF_OF]: mark }) });

const cases: readonly (readonly [rule: string, name: RouteName, asked: Asked, outcome: string])[] = [
  ["a user may write what the role allows", "createUser", { login: manager }, MANAGER.email],
  ["a node with old facts lets no user write", "createUser", { login: manager, isStale: true }, "AGENT_STALE"],
  ["a node with old facts lets no user read", "users", { login: manager, isStale: true }, "AGENT_STALE"],
  ["a node with old facts calls no login wrong", "users", { login: undefined, isStale: true }, "AGENT_STALE"],
  ["a node with old facts shows its own metrics", "metrics", { login: manager, isStale: true }, MANAGER.email],
  ["a node with old facts knows the cluster itself", "users", { login: CLUSTER, isStale: true }, CLUSTER.name],
  [
    "a user who is gone at the API server writes nothing",
    "createUser",
    { login: manager, current: [] },
    "AGENT_UNAUTHORIZED",
  ],
  [
    "a user with another password there writes nothing",
    "createUser",
    { login: manager, current: [{ ...MANAGER, secret: "rec-user-9" }] },
    "AGENT_UNAUTHORIZED",
  ],
  [
    "a user with another role there writes nothing",
    "createUser",
    { login: manager, current: [{ ...MANAGER, role: "db_viewer" }] },
    "AGENT_FORBIDDEN",
  ],
  ["no user writes where that cannot be read", "createUser", { login: manager, current: "unreachable" }, "AGENT_STALE"],
  ["the cluster writes without that", "createUser", { login: CLUSTER, current: "unreachable" }, CLUSTER.name],
  [
    "what a node passes on is from the user",
    "createUser",
    { login: CLUSTER, headers: passedOn("2/rec-user-1") },
    MANAGER.email,
  ],
  [
    "what it passes on has the rights of the user",
    "createUser",
    { login: CLUSTER, headers: passedOn("3/rec-user-2") },
    "AGENT_FORBIDDEN",
  ],
  [
    "a user with a former password is none",
    "createUser",
    { login: CLUSTER, headers: passedOn("2/rec-user-0") },
    "AGENT_UNAUTHORIZED",
  ],
  [
    "no user asks as a node does",
    "localInstances",
    { login: CLUSTER, headers: passedOn("2/rec-user-1") },
    "AGENT_FORBIDDEN",
  ],
  [
    "what a node passes on for the cluster is from it",
    "createUser",
    { login: CLUSTER, headers: passedOn("cluster") },
    CLUSTER.name,
  ],
  ["a node of an older release names no user", "createUser", { login: CLUSTER, headers: passedOn() }, CLUSTER.name],
  [
    "what names a user in another form is refused",
    "createUser",
    { login: CLUSTER, headers: passedOn("x") },
    "AGENT_BAD_REQUEST",
  ],
  [
    "a user passes nothing on",
    "createUser",
    { login: callerOfUser(VIEWER), headers: passedOn("2/rec-user-1") },
    "AGENT_FORBIDDEN",
  ],
];

for (const [rule, name, asked, outcome] of cases)
  test(`rights: ${rule}`, async () => {
    assert.equal(await authorize(name, asked), outcome);
  });

/** The users of a cluster, and the changes that one of them asks for while `meanwhile` becomes of the record. */
function asManager(meanwhile: (state: ClusterStateRecord) => ClusterStateRecord) {
  let state: ClusterStateRecord = {
    createdTime: "2026-01-01T00:00:00Z",
    nextDatabase: 1,
    maintenance: [],
    finished: [],
  };
  state = { ...state, users: [MANAGER, VIEWER] };
  const seen = state;
  const secrets = new Set(["rec-user-1", "rec-user-2"]);
  const records = withRights({
    state: () => seen,
    reload: async () => undefined,
    changeState: async (change: (old: ClusterStateRecord) => ClusterStateRecord) => {
      state = change(meanwhile(state));
      return state;
    },
    changeDatabase: async () => undefined,
    createDatabase: async () => undefined,
  });
  const taken: number[] = [];
  const userPasswords = {
    free: {
      take: async () => (taken.push(101), { number: 101, name: "rec-user-101", prepared: undefined }),
      isReady: async () => true,
    },
    keep: async (_hash: string, { name }: { readonly name: string }) => (secrets.add(name), true),
    remove: async (secret: string) => void secrets.delete(secret),
  };
  const act = <T>(permission: "create_user" | "update_user" | "delete_user", run: () => Promise<T>): Promise<T> =>
    actFor({ user: MANAGER, permission }, run);
  return {
    context: { records, userPasswords, clock: systemClock },
    secrets,
    taken,
    act,
    users: () => state.users ?? [],
  };
}

const promoted = (state: ClusterStateRecord): ClusterStateRecord => ({
  ...state,
  users: (state.users ?? []).map((user) => (user.uid === VIEWER.uid ? { ...user, role: "admin" } : user)),
});

test("who becomes an administrator meanwhile is not changed by a user_manager, and no Secret is left", async () => {
  const { context, act, secrets, users } = asManager(promoted);
  const change = act("update_user", () => updateUser(context, VIEWER.uid, { password: "correct horse" }));
  await assert.rejects(change, { code: "AGENT_FORBIDDEN" });
  await assert.rejects(
    act("delete_user", () => deleteUser(context, VIEWER.uid)),
    { code: "AGENT_FORBIDDEN" },
  );
  assert.deepEqual([...secrets], ["rec-user-1", "rec-user-2"]);
  assert.deepEqual(users().find(({ uid }) => uid === VIEWER.uid)?.secret, VIEWER.secret);
});

for (const [rule, meanwhile, code] of [
  ["is deleted", [VIEWER], "AGENT_UNAUTHORIZED"],
  ["gets another role", [{ ...MANAGER, role: "db_viewer" }, VIEWER], "AGENT_FORBIDDEN"],
] as const)
  test(`a user who ${rule} meanwhile makes no other one`, async () => {
    const { context, act, users } = asManager((state) => ({ ...state, users: meanwhile }));
    const body = { email: "again@x.org", password: "correct horse", role: "db_member" } as const;
    await assert.rejects(
      act("create_user", () => createUser(context, "admin@rec", body)),
      { code },
    );
    assert.deepEqual(
      users()
        .map(({ uid }) => uid)
        .filter((uid) => uid > VIEWER.uid),
      [],
    );
  });

test("a request about users that is refused takes no Secret", async () => {
  const { context, act, taken } = asManager((state) => state);
  const password = "correct horse";
  const body = { email: "again@x.org", password, role: "admin" } as const;
  const calls: readonly (() => Promise<unknown>)[] = [
    () => act("create_user", () => createUser(context, "admin@rec", body)),
    () => act("update_user", () => updateUser(context, VIEWER.uid, { password, role: "admin" })),
    () => act("update_user", () => updateUser(context, 99, { password })),
  ];
  for (const call of calls) await assert.rejects(call, { name: "Fault" });
  assert.deepEqual(taken, []);
});

test("the uid of a user is never given twice", async () => {
  const { context, act } = asManager((state) => state);
  const make = (email: string) =>
    act("create_user", () => createUser(context, "admin@rec", { email, password: "correct horse", role: "none" }));
  const first = await make("a@x.org");
  await act("delete_user", () => deleteUser(context, first.uid));
  assert.equal((await make("b@x.org")).uid, first.uid + 1);
  await act("delete_user", () => deleteUser(context, VIEWER.uid));
  assert.equal((await make("c@x.org")).uid, first.uid + 2);
});
