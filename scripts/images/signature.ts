import { createHash, createPrivateKey, createPublicKey, createSign, type KeyObject } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** The environment variable that names the file with the key of who builds: PEM, EC P-256, not encrypted. */
const SIGNING_KEY = "STORE_SIGNING_KEY";

/** The key of who builds; undefined when the environment names none. An error when it is no EC key on P-256. */
export async function signingKey(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<KeyObject | undefined> {
  const path = environment[SIGNING_KEY];
  if (path === undefined || path === "") return undefined;
  const key = createPrivateKey(await readFile(path));
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType === "ec" && curve === "prime256v1") return key;
  const make = "openssl ecparam -name prime256v1 -genkey -noout -out signing.key";
  throw new Error(`${SIGNING_KEY} names ${path}, which is no EC key on P-256; make one: ${make}`);
}

/** Writes `<file>.sig`, as `cosign verify-blob --signature` takes it: ECDSA over SHA-256, DER, base64. */
export async function signFile(path: string, key: KeyObject): Promise<void> {
  const signer = createSign("sha256");
  await pipeline(createReadStream(path), signer);
  await writeFile(`${path}.sig`, signer.sign(key, "base64"));
}

/**
 * Writes the signature of each image into `folder` in the form of `cosign attach signature`: what is signed says the digest, and
 * the name without its tag. The answer is the names of the files that are signed.
 */
export async function signImages(
  folder: string,
  digests: ReadonlyMap<string, string>,
  key: KeyObject,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [image, digest] of digests) {
    const name = `${image.replaceAll(/[/:]/g, "_")}.payload.json`;
    const reference = `docker.io/${image.slice(0, image.lastIndexOf(":"))}`;
    const critical = {
      identity: { "docker-reference": reference },
      image: { "docker-manifest-digest": digest },
      type: "cosign container image signature",
    };
    await writeFile(join(folder, name), JSON.stringify({ critical, optional: null }));
    await signFile(join(folder, name), key);
    names.push(name);
  }
  return names;
}

/** Writes the public half of `key` as `<folder>/cosign.pub`; the answer is its fingerprint, for people to compare. */
export async function writePublicKey(folder: string, key: KeyObject): Promise<string> {
  const publicKey = createPublicKey(key);
  await writeFile(join(folder, "cosign.pub"), publicKey.export({ type: "spki", format: "pem" }));
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex");
}
