import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { loopbackAddress } from "../../../test/kit/engines/engine.ts";
import { startShell } from "../../../test/kit/world/shell.ts";
import { createAuthority, issue } from "#kit/pki/authority";
import { callApi, installLicense, recoverFromSetAside, uploadModule } from "./kubectl.ts";

const LICENSE = "-----BEGIN-----\nYWJj\nLg==\n-----END-----\n";
const PASSWORD = 'a:b\'c $(d) "e"';

/** A node of a cluster "rec" as curl meets it, and a kubectl that knows its Secrets and its pod. */
async function startNode() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "call-api-"))).path;
  const authority = createAuthority({ commonName: "rec", now: new Date(), days: 1 });
  const { certificate, key } = issue(authority, {
    commonName: "rec",
    dnsNames: ["rec"],
    ipAddresses: [],
    usages: ["server"],
    now: new Date(),
    days: 1,
  });
  const requests: { what: string; login: string; body: string }[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    void text(request).then((body) => {
      const login = Buffer.from(request.headers.authorization?.replace("Basic ", "") ?? "", "base64").toString();
      requests.push({ what: `${request.method} ${request.url}`, login, body });
      response.end("{}");
    });
  });
  const address = loopbackAddress();
  server.listen(9443, address);
  await once(server, "listening");
  stack.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  const values = { username: "admin@example.org", password: PASSWORD, "ca.crt": authority.certificate };
  for (const [name, value] of Object.entries(values))
    await writeFile(join(folder, name), Buffer.from(value).toString("base64"));
  await writeFile(join(folder, "kubectl"), KUBECTL.replaceAll("FOLDER", folder).replace("ADDRESS", address));
  await chmod(join(folder, "kubectl"), 0o700);
  await writeFile(join(folder, "tally.zip"), "an archive");
  await writeFile(join(folder, "license.txt"), LICENSE);
  const shell = stack.use(startShell(folder, { ...process.env, PATH: `${folder}:${process.env["PATH"]}` }));
  const owned = stack.move();
  return { requests, shell, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const KUBECTL = `#!/bin/sh
case "$*" in
  "get secret rec -o jsonpath={.data.username}") cat FOLDER/username ;;
  "get secret rec -o jsonpath={.data.password}") cat FOLDER/password ;;
  "get secret rec-node-tls -o jsonpath={.data.ca"*"crt}") cat FOLDER/ca.crt ;;
  "get pods -l storeenterprise.io/cluster=rec,storeenterprise.io/role=node -o jsonpath={.items[0].status.podIP}") printf ADDRESS ;;
  *) echo "unknown: $*" >&2; exit 1 ;;
esac
`;

test("the lines of remedies that call the management API work as they are typed", async () => {
  await using node = await startNode();
  await node.shell(callApi("rec", "POST", "/v1/nodes/2/actions/maintenance_off"));
  await node.shell(callApi("rec", "POST", "/v1/bdbs/3/upgrade", { body: { store_version: "7.2" }, comment: "orders" }));
  await node.shell(callApi("rec", "DELETE", "/v1/nodes/1/set_aside/db-7-5-1"));
  await node.shell(recoverFromSetAside("rec", 7, { node: 2, id: "it's" }));
  await node.shell(uploadModule("rec", "tally.zip"));
  await node.shell(installLicense("rec", "license.txt"));
  assert.deepEqual(
    node.requests.map(({ what }) => what),
    [
      "POST /v1/nodes/2/actions/maintenance_off",
      "POST /v1/bdbs/3/upgrade",
      "DELETE /v1/nodes/1/set_aside/db-7-5-1",
      "POST /v1/bdbs/7/actions/recover",
      "POST /v2/modules",
      "PUT /v1/license",
    ],
  );
  assert.deepEqual([...new Set(node.requests.map(({ login }) => login))], [`admin@example.org:${PASSWORD}`]);
  assert.deepEqual(
    [node.requests[1], node.requests[3], node.requests[5]].map((one) => JSON.parse(one?.body ?? "")),
    [{ store_version: "7.2" }, { set_aside: { node: 2, id: "it's" } }, { license: LICENSE }],
  );
  assert.match(node.requests[4]?.body ?? "", /name="module"; filename="tally\.zip"[^]*an archive/);
});
