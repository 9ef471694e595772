import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loopbackAddress } from "../../../../../test/kit/engines/engine.ts";
import { survivesFlood } from "../../../../../test/kit/network/flood.ts";
import { authorityNamed, endpointCertificate } from "../../../../../test/kit/tls/certificates.ts";
import { DATABASE_VERSIONS } from "../../../../core/api/records.ts";
import { messageOf } from "#kit/base/fault";
import { jsonLog, silentLog } from "#kit/base/log";
import { until } from "#kit/testing/until";
import { systemClock } from "#kit/reconcile/system-clock";
import { routes, type RouteName } from "../../../../ports/management/routes.ts";
import type { Authenticate, Caller } from "./auth.ts";
import { refusals, refuse } from "./refusals.ts";
import { serveManagementApi } from "./server.ts";

const { certificate, key } = endpointCertificate(authorityNamed("nodes"), "node");

test("strangers that hold connections to the management API take those of their address, for ten seconds", async () => {
  await using api = await serving(() => Promise.resolve(undefined));
  const { host, port } = api;
  const ask = async (localAddress: string): Promise<void> => {
    const sent = request({ host, port, localAddress, path: "/v1/bdbs", rejectUnauthorized: false, agent: false });
    const [response]: IncomingMessage[] = await once(sent.end(), "response");
    assert.deepEqual([response?.statusCode, response?.headers.connection], [401, "close"]);
    response?.resume();
  };
  await survivesFlood({ host, port, ofAddress: 128, silentMs: 10_000, ask });
});

test("users that hold connections by asking keep out neither others nor a node, whose connection stays", async () => {
  await using api = await serving((header) => Promise.resolve(header === "node" ? NODE : VIEWER));
  const agents: Agent[] = [];
  const ask = async (localAddress: string, authorization: string, agent: Agent): Promise<string> => {
    const where = { host: api.host, port: api.port, localAddress, path: "/v1/bdbs", rejectUnauthorized: false, agent };
    try {
      const [response]: IncomingMessage[] = await once(
        request({ ...where, headers: { authorization } }).end(),
        "response",
      );
      await once(response?.resume() ?? agent, "end");
      return String(response?.statusCode);
    } catch (error) {
      return `cut: ${messageOf(error)}`;
    }
  };
  const kept = (): Agent => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    return agent;
  };
  const ofNode = kept();
  assert.equal(await ask("127.0.0.8", "node", ofNode), "404");
  const [before] = Object.values(ofNode.freeSockets).flat();
  for (let i = 0; i < 520; i++) await ask(`127.0.2.${(i % 5) + 1}`, "user", kept());
  assert.equal(await ask("127.0.0.8", "node", ofNode), "404");
  assert.equal(Object.values(ofNode.freeSockets).flat()[0], before);
  assert.equal(await ask("127.0.0.7", "node", kept()), "404");
  for (const agent of agents) agent.destroy();
});

const NODE: Caller = { name: "rec", role: "admin", isCluster: true };
const VIEWER: Caller = { name: "v@example.org", role: "db_viewer", isCluster: false };

test("the log has the name with which a login failed, and nothing that may be a password", async () => {
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  await using api = await serving(() => Promise.resolve(undefined), log);
  for (const given of ["eve@example.org:a guess", "a password alone", ":a guess"]) {
    const authorization = `Basic ${Buffer.from(given).toString("base64")}`;
    const where = { host: api.host, port: api.port, path: "/v1/bdbs", rejectUnauthorized: false, agent: false };
    const [response]: IncomingMessage[] = await once(
      request({ ...where, headers: { authorization } }).end(),
      "response",
    );
    response?.resume();
  }
  await until("each has a line", () => lines.length === 3);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ user, failures }) => [user, failures]),
    [
      ["eve@example.org", 1],
      ["", 1],
      ["", 1],
    ],
  );
  assert.doesNotMatch(lines.join(""), /guess|password/);
});

/** The server of the management API, whose operations do nothing. */
async function serving(callerOf: Authenticate, log = silentLog) {
  const folder = mkdtempDisposableSync(join(tmpdir(), "store-api-"));
  const [host, port] = [loopbackAddress(), 9443];
  const refused = () => Promise.reject(refuse(refusals.noSuchPath, "not of this test"));
  const handlers = Object.fromEntries(Object.keys(routes).map((name) => [name, refused])) as unknown as Readonly<
    Record<RouteName, typeof refused>
  >; // these are the keys of the table
  const server = await serveManagementApi({
    host,
    port,
    handlers,
    tls: { "tls.crt": certificate, "tls.key": key },
    clock: systemClock,
    log,
    supported: DATABASE_VERSIONS,
    archiveFolder: folder.path,
    notJoined: () => undefined,
    askElsewhere: () => Promise.resolve(undefined),
    callerOf,
    users: () => [],
    readUsers: () => Promise.resolve([]),
    isStale: () => false,
  });
  return {
    host,
    port,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      folder[Symbol.dispose]();
    },
  };
}
