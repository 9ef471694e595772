import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createAuthority,
  expiryOf,
  issue,
  type Authority,
  type KeyPair,
} from "../../../../controller-kit/src/pki/authority.ts";
import { isJson, textAt } from "../objects/json.ts";
import { ADMINISTRATORS } from "./user.ts";

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;

/** What the server is recognised by, and what it recognises others by; kept in the data directory. */
export interface ServerCredentials {
  readonly authority: Authority;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** Signs service account tokens. */
  readonly tokenKey: Buffer;
}

/** Reads the identity below `dataDir`, or makes it; certificates within 30 days of their end are made anew. */
export async function loadServerCredentials(dataDir: string, host: string, now: Date): Promise<ServerCredentials> {
  const authority = await loadOrMake(join(dataDir, "ca.json"), now, () =>
    createAuthority({ commonName: "kubernetes", now, days: AUTHORITY_DAYS }),
  );
  const addresses = [...new Set([host, "127.0.0.1"])].filter((address) => /^[\d.]+$/.test(address));
  const server = await loadOrMake(join(dataDir, `server-${host}.json`), now, () =>
    issue(authority, {
      commonName: "kube-apiserver",
      dnsNames: [
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
      ],
      ipAddresses: addresses,
      usages: ["server"],
      now,
      days: LEAF_DAYS,
    }),
  );
  const admin = await loadOrMake(join(dataDir, "admin.json"), now, () =>
    issue(authority, {
      commonName: "kubernetes-admin",
      organizations: [ADMINISTRATORS],
      dnsNames: [],
      ipAddresses: [],
      usages: ["client"],
      now,
      days: LEAF_DAYS,
    }),
  );
  return { authority, server, admin, tokenKey: await tokenKey(join(dataDir, "token.key")) };
}

/** A kubeconfig (YAML) of the administrator for the server at `url`. */
export function adminKubeconfig({ authority, admin }: ServerCredentials, url: string): string {
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  return `apiVersion: v1
kind: Config
clusters:
- name: local
  cluster:
    server: ${url}
    certificate-authority-data: ${encoded(authority.certificate)}
users:
- name: kubernetes-admin
  user:
    client-certificate-data: ${encoded(admin.certificate)}
    client-key-data: ${encoded(admin.key)}
contexts:
- name: kubernetes-admin@local
  context:
    cluster: local
    user: kubernetes-admin
current-context: kubernetes-admin@local
`;
}

async function loadOrMake(path: string, now: Date, make: () => KeyPair): Promise<KeyPair> {
  const known = await readIfThere(path);
  const parsed: unknown = known === undefined ? undefined : JSON.parse(known);
  if (isJson(parsed)) {
    const pair = { certificate: textAt(parsed, "certificate"), key: textAt(parsed, "key") };
    if (expiryOf(pair.certificate).getTime() - now.getTime() > 30 * DAY_MS) return pair;
  }
  const pair = make();
  await writeSecret(path, JSON.stringify(pair));
  return pair;
}

async function tokenKey(path: string): Promise<Buffer> {
  const known = await readIfThere(path);
  if (known !== undefined) return Buffer.from(known, "base64");
  const key = randomBytes(32);
  await writeSecret(path, key.toString("base64"));
  return key;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function writeSecret(path: string, text: string): Promise<void> {
  await writeFile(`${path}.next`, text, { mode: 0o600 });
  await rename(`${path}.next`, path);
}
