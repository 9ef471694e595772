import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeArchive } from "../../scripts/images/archive.ts";
import { historyOf } from "../../scripts/images/history.ts";
import { changedPackages, packageLists, packageText } from "../../scripts/images/package-list.ts";
import { pinnedBases } from "../../scripts/images/registry.ts";
import { readDistribution } from "../../scripts/install/private-apt.mjs";

// Whether images are to be built again, because packages or bases have changed since.

const CHECKOUT = join(import.meta.dirname, "../..");
const bases = pinnedBases(await readFile(join(CHECKOUT, "images/Containerfile"), "utf8"));

test("the history of an image says the packages of each layer, and where they came from", () => {
  const base = { distribution: "debian", suites: ["bookworm"], versions: new Map([["libc6", "2.36-9+deb12u14"]]) };
  const engine = {
    distribution: "debian",
    suites: ["bookworm", "bookworm-backports"],
    versions: new Map([
      ["valkey-server", "8.0.1+dfsg1-1~bpo12+1"],
      ["libssl3", "3.0.17-1~deb12u2"],
    ]),
  };
  const history = `${packageText(base)}\nredis-8.0.2 valkey-8.0.1 [${packageText(engine)}]\nnode 24`;
  assert.deepEqual(packageLists(history), [base, engine]);
});

test("a package of which the mirror has another version, or none, is named with both", () => {
  const versions = new Map([
    ["libc6", "1"],
    ["dash", "2"],
    ["netbase", "3"],
  ]);
  const now = new Map([
    ["libc6", "1"],
    ["dash", "2.1"],
  ]);
  assert.deepEqual(changedPackages({ distribution: "debian", suites: ["bookworm"], versions }, now), [
    "dash of debian bookworm: built with 2, the mirror has 2.1",
    "netbase of debian bookworm: built with 3, the mirror has none",
  ]);
});

test(
  "an archive is compared with the mirror of this machine",
  { skip: readDistribution()?.id !== "debian" && "needs Debian, whose packages it names" },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "check-"));
    await writeImage(folder.path, "netbase=0 [packages not written down]");
    assert.deepEqual(await historyOf(join(folder.path, "store-enterprise.tar")), [
      "debian bookworm: netbase=0 [packages not written down]",
    ]);
    const older = await check(folder.path);
    const [, now = ""] = /^netbase of debian bookworm: built with 0, the mirror has (\S+)$/m.exec(older.said) ?? [];
    assert.deepEqual([older.code, older.said.includes("build the images again")], [1, true], older.said);
    assert.match(older.said, /^an engine was unpacked by an earlier release/m);
    await writeImage(folder.path, `netbase=${now}`);
    assert.deepEqual(await check(folder.path), { code: 0, said: "nothing has changed since\n" });
  },
);

test("the bases of images/Containerfile are compared with what their tags name now", async () => {
  assert.equal(bases.length, 5);
  const tags = new Map(bases.map(({ repository, tag, digest }) => [`/v2/${repository}/manifests/${tag}`, digest]));
  await using registry = await startRegistry(tags);
  const ask = () => check("--bases", { STORE_REGISTRY: registry.url });
  assert.deepEqual(await ask(), { code: 0, said: "nothing has changed since\n" });
  const [path = ""] = tags.keys();
  tags.set(path, `sha256:${"0".repeat(64)}`);
  const { code, said } = await ask();
  assert.equal(code, 1);
  assert.match(said, /^library\/node:\S+ is sha256:0{64} now, images\/Containerfile has sha256:[0-9a-f]{64}$/m);
  tags.delete(path);
  assert.equal((await ask()).code, 2, "what cannot be found out is no answer");
});

/** An image whose one layer was made from these packages. */
async function writeImage(folder: string, packages: string): Promise<void> {
  const tar = join(folder, "layer.tar");
  await writeFile(tar, "");
  const layer = { tar, digest: `sha256:${"a".repeat(64)}`, size: 0, title: `debian bookworm: ${packages}` };
  const image = { name: "store/node:1", user: "1", environment: {}, entrypoint: [], labels: {}, layers: [layer] };
  await writeArchive(join(folder, "store-enterprise.tar"), [image]);
}

function check(what: string, env: NodeJS.ProcessEnv = {}): Promise<{ readonly code: number; readonly said: string }> {
  const script = join(CHECKOUT, "scripts/images-check.ts");
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, what], { env: { ...process.env, ...env } }, (_error, said) => {
      resolve({ code: child.exitCode ?? -1, said });
    });
  });
}

/** Speaks as public registries do: it refuses who has no token, and hands one out to anyone. */
async function startRegistry(tags: ReadonlyMap<string, string>) {
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/token?service=registry.test&scope=pull") === true) {
      response.end(JSON.stringify({ token: "of-anyone" }));
      return;
    }
    if (request.headers.authorization !== "Bearer of-anyone") {
      const challenge = `Bearer realm="${url}/token",service="registry.test",scope="pull"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return;
    }
    const digest = tags.get(request.url ?? "");
    if (digest === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "docker-content-digest": digest }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
