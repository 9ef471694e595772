import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createAuthority, issue } from "#kit/pki/authority";
import { downloadArchive } from "./download.ts";

const now = new Date();
const authority = createAuthority({ commonName: "modules", now, days: 1 });
const credentials = { username: "reader", password: "secret-word" };
const authorizations: (string | undefined)[] = [];
const identity = issue(authority, {
  commonName: "modules",
  dnsNames: ["localhost"],
  ipAddresses: [],
  usages: ["server"],
  now,
  days: 1,
});
const tls = { key: identity.key, cert: identity.certificate };
const wrong = [
  ["without its credentials", "/m.zip", {}, /the server answers 401/],
  ["that redirects for ever", "/loop", { credentials }, /redirected too often/],
  ["that leads to plain HTTP", "/plain", { credentials }, /only https/],
  ["that never ends", "/endless", { credentials }, /more than \d+ bytes/],
] as const;

await using stack = new AsyncDisposableStack();
const other = createServer(tls, (request, response) => {
  authorizations.push(request.headers.authorization);
  response.end("moved archive");
});
const elsewhere = await listening(other);
const server = createServer(tls, (request, response) => {
  const login = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;
  const path = request.url?.split("?")[0];
  if (path === "/loop") response.writeHead(302, { location: "/loop" }).end();
  else if (path === "/moved") response.writeHead(302, { location: `${elsewhere}/m.zip` }).end();
  else if (path === "/plain") response.writeHead(302, { location: "http://localhost/m.zip" }).end();
  else if (path === "/endless") endless(response);
  else if (request.headers.authorization !== login) response.writeHead(401).end();
  else response.end("archive");
});
const url = await listening(server);

await test("an archive is fetched with its credentials, its server known by the authority", async () => {
  const archive = await downloadArchive({ url: `${url}/m.zip`, credentials, ca: authority.certificate });
  assert.equal(await archive.text(), "archive");
});

await test("a redirect to another host is followed, and that host does not get the credentials", async () => {
  const archive = await downloadArchive({ url: `${url}/moved`, credentials, ca: authority.certificate });
  assert.equal(await archive.text(), "moved archive");
  assert.deepEqual(authorizations, [undefined]);
});

for (const [what, path, more, message] of wrong) {
  await test(`an archive ${what} is given up, with the reason and no secret`, async () => {
    const fetching = downloadArchive({ url: `${url}${path}?token=hidden`, ca: authority.certificate, ...more });
    await assert.rejects(
      fetching,
      (error: Error) => message.test(error.message) && !/hidden|secret-word/.test(error.message),
    );
  });
}

await test("a server with an untrusted certificate is refused, and so is plain HTTP", async () => {
  await assert.rejects(downloadArchive({ url: `${url}/m.zip` }), /MODULES_UNREACHABLE|certificate/);
  await assert.rejects(downloadArchive({ url: "http://localhost/m.zip" }), /only https/);
  await assert.rejects(downloadArchive({ url: "nonsense" }), /only https/);
});

/** Its address, on a free port, until the tests of this file have ended. */
async function listening(listener: Server): Promise<string> {
  listener.listen(0, "127.0.0.1");
  stack.defer(() => listener.close().closeAllConnections());
  await once(listener, "listening");
  return `https://localhost:${(listener.address() as AddressInfo).port}`;
}

function endless(response: NodeJS.WritableStream): void {
  const chunk = Buffer.alloc(1 << 20);
  const write = (): void => {
    while (response.write(chunk));
    response.once("drain", write);
  };
  response.on("error", () => undefined); // the reader closes the connection
  write();
}
