import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loopbackAddress } from "../../../../test/kit/engines/engine.ts";
import { survivesFlood } from "../../../../test/kit/network/flood.ts";
import { authorityNamed, endpointCertificate } from "../../../../test/kit/tls/certificates.ts";
import { DATABASE_VERSIONS } from "../../../core/api/records.ts";
import { silentLog } from "../../../core/base/log.ts";
import { routes, type RouteName } from "../../../ports/management/routes.ts";
import { serveManagementApi } from "./server.ts";

const { certificate, key } = endpointCertificate(authorityNamed("nodes"), "node");

test("strangers that hold connections to the management API take those of their address, for ten seconds", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "store-api-"));
  const host = loopbackAddress();
  const port = 9443;
  const refused = () => Promise.reject(new Error("not of this test"));
  const handlers = Object.fromEntries(Object.keys(routes).map((name) => [name, refused])) as unknown as Readonly<
    Record<RouteName, typeof refused>
  >; // these are the keys of the table
  const server = await serveManagementApi({
    ...{ host, port, handlers, tls: { "tls.crt": certificate, "tls.key": key }, log: silentLog },
    ...{ supported: DATABASE_VERSIONS, archiveFolder: folder.path, notJoined: () => undefined },
    askElsewhere: () => Promise.resolve(undefined),
    callerOf: () => Promise.resolve(undefined),
    ...{ users: () => [], readUsers: () => Promise.resolve([]), isStale: () => false },
  });
  await using _server = { [Symbol.asyncDispose]: () => server.close() };
  const ask = async (localAddress: string): Promise<void> => {
    const sent = request({ host, port, localAddress, path: "/v1/bdbs", rejectUnauthorized: false, agent: false });
    const [response]: IncomingMessage[] = await once(sent.end(), "response");
    assert.deepEqual([response?.statusCode, response?.headers.connection], [401, "close"]);
    response?.resume();
  };
  await survivesFlood({ host, port, ofAddress: 128, silentMs: 10_000, ask });
});
