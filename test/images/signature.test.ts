import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFile, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { signImages, signingKey } from "../../scripts/images/signature.ts";

const run = promisify(execFile);
const SIGN = join(import.meta.dirname, "../../scripts/sign.ts");

await using stack = new AsyncDisposableStack();
const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "signature-"))).path;
const keyFile = await madeKey("signing.key", "prime256v1");

await test("what is signed is verified with the public key alone, as cosign does it, and not once it is changed", async () => {
  const file = join(folder, "storectl.tgz");
  await writeFile(file, "what is published");
  const said = await run(process.execPath, [SIGN, file], { env: { ...process.env, STORE_SIGNING_KEY: keyFile } });
  assert.match(said.stdout, /^signed by [0-9a-f]{64}: /);
  await verify(file);
  await appendFile(file, "!");
  await assert.rejects(verify(file), /Verification failure/);
});

await test("the signature of an image is over its name and digest, in the form that cosign attaches", async () => {
  const key = await signingKey({ STORE_SIGNING_KEY: keyFile });
  assert.ok(key);
  const digest = `sha256:${"a".repeat(64)}`;
  const [name = ""] = await signImages(folder, new Map([["storeenterprise/node:8.2.0-25.12", digest]]), key);
  assert.equal(name, "storeenterprise_node_8.2.0-25.12.payload.json");
  assert.deepEqual(JSON.parse(await readFile(join(folder, name), "utf8")), {
    critical: {
      identity: { "docker-reference": "docker.io/storeenterprise/node" },
      image: { "docker-manifest-digest": digest },
      type: "cosign container image signature",
    },
    optional: null,
  });
  await verify(join(folder, name));
});

await test("nothing is signed without a key, and a key of another curve is refused with the command that makes one", async () => {
  assert.equal(await signingKey({}), undefined);
  const other = await madeKey("other.key", "secp384r1");
  await assert.rejects(signingKey({ STORE_SIGNING_KEY: other }), /no EC key on P-256.*openssl ecparam/);
});

/** ECDSA over SHA-256 of the whole file, with a signature in DER and base64: what `cosign verify-blob` checks. */
async function verify(file: string): Promise<void> {
  const signature = Buffer.from(await readFile(`${file}.sig`, "utf8"), "base64");
  await writeFile(join(folder, "signature.der"), signature);
  const how = ["-sha256", "-verify", join(folder, "cosign.pub"), "-signature", join(folder, "signature.der")];
  await run("openssl", ["dgst", ...how, file]).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
}

async function madeKey(name: string, curve: string): Promise<string> {
  const path = join(folder, name);
  await run("openssl", ["ecparam", "-name", curve, "-genkey", "-noout", "-out", path]);
  return path;
}
