import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { createAuthority, issue } from "#kit/pki/authority";
import { systemClock } from "#kit/reconcile/system-clock";
import { KINDS } from "../../../core/api/kinds.ts";
import { bundleFor } from "../../../core/releases/bundle/bundle.ts";
import { latestRelease } from "../../../core/releases/catalogue/find.ts";
import { runStorectl } from "../storectl.ts";
import { proves } from "../../../../test/kit/specification/proves.ts";

const now = new Date();
const authority = createAuthority({ commonName: "releases", now, days: 1 });
const BUNDLE = bundleFor(latestRelease());
const SHA256 = createHash("sha256").update(BUNDLE).digest("hex");

const TAG = `v${latestRelease().operator}`;
/** Paths that the server was asked for. */
const asked: string[] = [];

const refusals: { name: string; path: string; more: string[]; code: string; says: RegExp }[] = [
  {
    name: "another content",
    path: "/bundle.yaml",
    more: ["--sha256", "0".repeat(64)],
    code: "CLI_OTHER_CONTENT",
    says: /and 0{64} is wanted/,
  },
  { name: "a page", path: "/page", more: [], code: "CLI_OTHER_CONTENT", says: /does not say its release/ },
  { name: "what is not there", path: "/nothing", more: [], code: "CLI_NOT_FETCHED", says: /the server answers 404/ },
  { name: "what is too long", path: "/large", more: [], code: "CLI_NOT_FETCHED", says: /more than 4194304 bytes/ },
];

await using stack = new AsyncDisposableStack();
const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "bundle-"))).path;
await writeFile(join(dir, "ca.crt"), authority.certificate);
const trusted = ["--ca", join(dir, "ca.crt")];
const base = await startServer();

await test("generate prints the very file that is checked in, of either platform", async () => {
  for (const [variant, file] of [
    ["kubernetes", "bundle.yaml"],
    ["openshift", "distro.bundle.yaml"],
  ] as const) {
    const checkedIn = await readFile(join(import.meta.dirname, "../../../../deploy", file), "utf8");
    assert.equal(await storectl("bundle", "generate", "--variant", variant), checkedIn);
  }
});

await test("generate takes watched namespaces, a registry and its secret", async () => {
  const watching = ["--own", "ops", "--watch", "shop", "--watch", "bank"];
  const from = ["--repository", "registry.example.com/operator", "--pull-secret", "login"];
  const text = await storectl("bundle", "generate", "8.0.18-11", ...watching, ...from);
  assert.match(text, /image: registry\.example\.com\/operator:8\.0\.18-11/);
  assert.match(text, /imagePullSecrets:\n +- name: login/);
  for (const namespace of ["shop", "bank"]) assert.match(text, new RegExp(`^ {2}namespace: ${namespace}$`, "m"));
});

await test("fetch compares the checksum, prints the release and writes the file once", async () => {
  const out = join(dir, "bundle.yaml");
  const args = ["bundle", "fetch", `${base}/bundle.yaml`, "--ca", join(dir, "ca.crt"), "--out", out];
  assert.match(
    await storectl(...args, "--sha256", SHA256.toUpperCase()),
    new RegExp(`release 8\\.2\\.0-12, \\d+ objects\nsha256 ${SHA256}, as`),
  );
  assert.equal(await readFile(out, "utf8"), BUNDLE);
  await fails(args, "CLI_OUTPUT", /cannot be written: it is there already/);
});

for (const { name, path, more, code, says } of refusals) {
  await test(`${name} is refused, and nothing is written`, async () => {
    const out = join(dir, "refused.yaml");
    await fails(["bundle", "fetch", base + path, "--ca", join(dir, "ca.crt"), "--out", out, ...more], code, says);
    await assert.rejects(readFile(out), /ENOENT/);
  });
}

for (const [variant, file] of [
  ["kubernetes", "bundle.yaml"],
  ["openshift", "distro.bundle.yaml"],
] as const) {
  await test(`fetch reads the tag of the latest release, and fetches its ${file}`, async () => {
    const out = join(dir, `latest-${file}`);
    const published = ["--releases", `${base}/releases/latest`, "--base", `${base}/download`];
    const said = await storectl("bundle", "fetch", ...published, ...trusted, "--variant", variant, "--out", out);
    proves(
      "§4.1 the tag of the latest release is read from tag_name",
      "what a server over HTTPS was asked for by `storectl bundle fetch`: the latest release, then the bundle under its tag_name",
    ).deepEqual(asked.slice(-2), ["/releases/latest", `/download/${TAG}/${file}`]);
    proves(
      "§4.1 bundle.yaml and distro.bundle.yaml are fetched by release tag",
      "the file that was written, of each of the two: the published bundle of that platform",
    ).equal(await readFile(out, "utf8"), bundleFor(latestRelease(), { variant }));
    // beside the definitions: Role, binding, account, Service, NetworkPolicy, Deployment
    assert.match(said, new RegExp(`: release 8\\.2\\.0-12, ${Object.keys(KINDS).length + 6} objects\n`));
  });
}

await test("a tag may be given in place of the latest; an object without one is refused", async () => {
  const out = join(dir, "tagged.yaml");
  await storectl("bundle", "fetch", "--base", `${base}/download/`, "--tag", TAG, ...trusted, "--out", out);
  assert.equal(await readFile(out, "utf8"), BUNDLE);
  const missing = ["--base", `${base}/download`, ...trusted, "--out", join(dir, "none")];
  for (const path of ["/page", "/bundle.yaml"])
    await fails(["bundle", "fetch", "--releases", base + path, ...missing], "CLI_OTHER_CONTENT", /has no tag_name/);
  await fails(["bundle", "fetch", "--tag", "v1.0", ...missing], "CLI_NOT_FETCHED", /answers 404/);
  await fails(["bundle", "fetch", ...missing], "CLI_USAGE", /--base with one of --releases and --tag/);
  await fails(["bundle", "fetch", `${base}/bundle.yaml`, ...missing], "CLI_USAGE", /the address of the bundle, or/);
});

await test("a server with an untrusted certificate is refused", async () => {
  await fails(
    ["bundle", "fetch", `${base}/bundle.yaml`, "--out", join(dir, "x")],
    "CLI_NOT_FETCHED",
    /certificate|issuer/,
  );
});

await test("half of a pair of options, an unknown release and a malformed name are refused", async () => {
  await fails(["bundle", "generate", "--own", "ops"], "CLI_USAGE", /--own and --watch go together/);
  await fails(["bundle", "generate", "1.2.3"], "CLI_UNKNOWN_RELEASE", /known are: .*8\.2\.0-12/);
  await fails(["bundle", "generate", "--own", "ops", "--watch", "A_b"], "CLI_USAGE", /name of a namespace/);
});

/** A server of bundles, until the tests of this file have ended; its base address. */
async function startServer(): Promise<string> {
  const names = { dnsNames: ["localhost"], ipAddresses: [] };
  const identity = issue(authority, { commonName: "releases", ...names, usages: ["server"], now, days: 1 });
  const server = createServer({ key: identity.key, cert: identity.certificate }, (request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/bundle.yaml" || request.url === `/download/${TAG}/bundle.yaml`) response.end(BUNDLE);
    else if (request.url === `/download/${TAG}/distro.bundle.yaml`)
      response.end(bundleFor(latestRelease(), { variant: "openshift" }));
    else if (request.url === "/releases/latest") response.end(JSON.stringify({ tag_name: TAG }));
    else if (request.url === "/page") response.end("<html>not found</html>");
    else if (request.url === "/large") response.end(Buffer.alloc(5 << 20));
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  stack.defer(() => server.close().closeAllConnections());
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `https://localhost:${address.port}`;
}

async function storectl(...args: readonly string[]): Promise<string> {
  let said = "";
  const print = (text: string): void => {
    said += text;
  };
  await runStorectl(args, { env: {}, store: "", clock: systemClock, print });
  return said;
}

async function fails(args: readonly string[], code: string, says: RegExp): Promise<void> {
  await assert.rejects(storectl(...args), (error) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, says);
    return true;
  });
}
