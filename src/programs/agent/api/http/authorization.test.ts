import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loopbackAddress } from "../../../../../test/kit/engines/engine.ts";
import { authorityNamed, endpointCertificate } from "../../../../../test/kit/tls/certificates.ts";
import { MANAGEMENT_ROLES, type ManagementRole } from "../../../../core/api/management-roles.ts";
import { DATABASE_VERSIONS, type ClusterUser } from "../../../../core/api/records.ts";
import { silentLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { FORWARDED_BY, ON_BEHALF_OF } from "../../../../ports/management/request.ts";
import { routes, type RouteName } from "../../../../ports/management/routes.ts";
import { hashPassword } from "../../credentials/password-hash.ts";
import { authenticator } from "./auth.ts";
import { refusals, refuse } from "./refusals.ts";
import { serveManagementApi } from "./server.ts";

const READERS: readonly ManagementRole[] = MANAGEMENT_ROLES.filter((role) => role !== "none");
const OWNERS: readonly ManagementRole[] = ["admin", "cluster_member", "db_member"];
const PEOPLE: readonly ManagementRole[] = ["admin", "user_manager"];
const ADMIN: readonly ManagementRole[] = ["admin"];

/** Who may use each operation that is no reading for all; what is not here is for all roles but `none`. */
const ALLOWED: { readonly [N in RouteName]?: readonly ManagementRole[] | "all" | "cluster" } = {
  bootstrap: "all",
  updateCluster: ADMIN,
  updateClusterPolicy: ADMIN,
  putRemoteSites: ADMIN,
  installLicense: PEOPLE,
  maintenanceOn: ADMIN,
  maintenanceOff: ADMIN,
  releaseSetAside: ADMIN,
  uploadModule: ADMIN,
  deleteModule: ADMIN,
  createBdb: OWNERS,
  updateBdb: OWNERS,
  deleteBdb: OWNERS,
  upgradeBdb: OWNERS,
  recoverBdb: OWNERS,
  restoreRecord: OWNERS,
  startBackup: OWNERS,
  startRestore: OWNERS,
  inspectBackup: OWNERS,
  removeBackup: OWNERS,
  addPassword: OWNERS,
  replacePasswords: OWNERS,
  removePassword: OWNERS,
  setClientParameters: OWNERS,
  putCrdb: ADMIN,
  users: PEOPLE,
  user: PEOPLE,
  createUser: PEOPLE,
  updateUser: PEOPLE,
  deleteUser: PEOPLE,
  localInstances: "cluster",
  localModule: "cluster",
  localRecord: "cluster",
  localTrust: "cluster",
  localLink: "cluster",
  localVouch: "cluster",
  localConsent: "cluster",
  localProxy: "cluster",
  localMover: "cluster",
  localRestore: "cluster",
};

const ROUTES = Object.keys(routes).filter((name): name is RouteName => name in routes);
const PASSWORD = "correct horse";
const USERS = MANAGEMENT_ROLES.map((role, index): ClusterUser => {
  const email = `${role}@example.org`;
  return { uid: index + 2, email, name: role, role, secret: `rec-user-${index + 2}` };
});

type Headers = Readonly<Record<string, string>>;
const basic = (name: string, password: string): Headers => {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}` };
};
const CLUSTER = basic("admin@rec", "of the cluster");

const GUESSER = "a wrong password";
const GUESSED: readonly RouteName[] = ["users", "createUser", "localTrust"];

/** Those who ask, with the rights that they should have. */
const PRINCIPALS: readonly (readonly [who: string, headers: Headers, rights: ManagementRole | "cluster" | "no one"])[] =
  [
    ["no one", {}, "no one"],
    [GUESSER, basic("admin@example.org", "wrong"), "no one"],
    ["the cluster itself", CLUSTER, "cluster"],
    ["a node, for the cluster", { ...CLUSTER, [FORWARDED_BY]: "2", [ON_BEHALF_OF]: "cluster" }, "cluster"],
    ["a node of an older release", { ...CLUSTER, [FORWARDED_BY]: "2" }, "cluster"],
    ["a node, for a user who is gone", { ...CLUSTER, [FORWARDED_BY]: "2", [ON_BEHALF_OF]: "99/rec-user-99" }, "no one"],
    ...USERS.flatMap(({ email, role, uid, secret }) => {
      const passedOn = { ...CLUSTER, [FORWARDED_BY]: "2", [ON_BEHALF_OF]: `${uid}/${secret}` };
      return [
        [`a user with the role ${role}`, basic(email, PASSWORD), role],
        [`a node, for a user with the role ${role}`, passedOn, role],
        [`a user with the role ${role} who says to be a node`, { ...passedOn, ...basic(email, PASSWORD) }, role],
      ] as const;
    }),
  ];

for (const isStale of [false, true])
  test(`each operation is asked by each caller, at a node with ${isStale ? "old" : "current"} facts`, async () => {
    await using api = await serving(isStale);
    for (const [who, headers, rights] of PRINCIPALS) {
      const seen: Partial<Record<RouteName, string>> = {};
      const wanted: Partial<Record<RouteName, string>> = {};
      // a hash is computed for each wrong password
      for (const name of who === GUESSER ? GUESSED : ROUTES) {
        seen[name] = await api.ask(name, headers);
        wanted[name] = expected(name, rights, isStale);
      }
      assert.deepEqual(seen, wanted, who);
    }
  });

function expected(name: RouteName, rights: ManagementRole | "cluster" | "no one", isStale: boolean): string {
  const allowed = ALLOWED[name] ?? READERS;
  if (allowed === "all" || rights === "cluster") return "allowed";
  if (isStale && name !== "metrics") return "503";
  if (rights === "no one") return "401";
  return allowed !== "cluster" && allowed.includes(rights) ? "allowed" : "403";
}

/** The server of the management API, whose operations do nothing. */
async function serving(isStale: boolean) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "store-api-")));
  const { certificate, key } = endpointCertificate(authorityNamed("nodes"), "node");
  const hash = await hashPassword(PASSWORD);
  const host = loopbackAddress();
  const reached = () => Promise.reject(refuse(refusals.noSuchPath, "it was reached"));
  const handlers = Object.fromEntries(ROUTES.map((name) => [name, reached])) as unknown as Readonly<
    Record<RouteName, typeof reached>
  >; // these are the keys of the table
  const logins = [{ username: "admin@rec", password: "of the cluster" }];
  const server = await serveManagementApi({
    host,
    port: 9443,
    handlers,
    tls: { "tls.crt": certificate, "tls.key": key },
    clock: systemClock,
    log: silentLog,
    supported: DATABASE_VERSIONS,
    archiveFolder: folder.path,
    notJoined: () => undefined,
    askElsewhere: () => Promise.resolve(undefined),
    callerOf: authenticator({ logins: () => logins, users: () => USERS, hashIn: () => Promise.resolve(hash) }),
    users: () => USERS,
    readUsers: () => Promise.resolve(USERS),
    isStale: () => isStale,
  });
  stack.defer(() => server.close());
  const agent = stack.adopt(new Agent({ keepAlive: true, rejectUnauthorized: false }), (one) => one.destroy());
  const owned = stack.move();
  return {
    async ask(name: RouteName, headers: Headers): Promise<string> {
      const { method, path } = routes[name];
      const sent = request({ host, port: 9443, agent, method, headers, path: path.replace(/:\w+/g, "1") });
      const [response]: IncomingMessage[] = await once(sent.end(), "response");
      response?.resume();
      const status = response?.statusCode ?? 0;
      return status === 401 || status === 403 || status === 503 ? String(status) : "allowed";
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
