import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { createAuthority, issue, type Authority, type KeyPair } from "#kit/pki/authority";

/** A user as the API server sees one who shows a client certificate. */
export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** The certificates of one control plane: files in `folder`, and makers of more. */
export interface Identities {
  readonly folder: string;
  /** PEM of the authority that signs servers and clients. */
  readonly ca: string;
  /** Path of `<folder>/<name>`. */
  file(name: string): string;
  /** Issues a server's key pair and writes `<name>.crt` and `<name>.key`. */
  server(name: string, user: User, addresses: readonly string[], dnsNames: readonly string[]): void;
  /** Writes a kubeconfig with a client certificate and returns its path. */
  kubeconfig(name: string, server: string, user: User): string;
  /** Writes a kubeconfig with a token and returns its path. */
  kubeconfigWithToken(name: string, server: string, token: string): string;
}

/** Makes the authorities and the keys that every control plane needs. */
export function createIdentities(folder: string, now: Date): Identities {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authority = (commonName: string): Authority => createAuthority({ commonName, now, days: 30 });
  const [ca, frontProxyCa, tokens] = [authority("kubernetes"), authority("front-proxy"), authority("service-accounts")];
  const file = (name: string): string => join(folder, name);
  const write = (name: string, text: string): string => {
    writeFileSync(file(name), text, { mode: 0o600 });
    return file(name);
  };
  const writePair = (name: string, pair: KeyPair): void => {
    write(`${name}.crt`, pair.certificate);
    write(`${name}.key`, pair.key);
  };
  const client = (signer: Authority, { name, groups = [] }: User): KeyPair =>
    issue(signer, {
      commonName: name,
      organizations: groups,
      dnsNames: [],
      ipAddresses: [],
      usages: ["client"],
      now,
      days: 30,
    });
  writePair("ca", ca);
  writePair("front-proxy-ca", frontProxyCa);
  writePair("service-accounts", tokens);
  writePair("front-proxy", client(frontProxyCa, { name: "front-proxy" }));
  writePair("kubelet-client", client(ca, { name: "kube-apiserver-kubelet-client", groups: ["system:masters"] }));
  return {
    folder,
    ca: ca.certificate,
    file,
    server: (name, { name: commonName, groups: organizations = [] }, ipAddresses, dnsNames) => {
      const usages = ["server", "client"] as const;
      writePair(name, issue(ca, { commonName, organizations, dnsNames, ipAddresses, usages, now, days: 30 }));
    },
    kubeconfig: (name, server, user) => {
      const { certificate, key } = client(ca, user);
      const identity = { "client-certificate-data": base64(certificate), "client-key-data": base64(key) };
      return write(`${name}.kubeconfig`, kubeconfigOf(server, ca.certificate, identity));
    },
    kubeconfigWithToken: (name, server, token) =>
      write(`${name}.kubeconfig`, kubeconfigOf(server, ca.certificate, { token })),
  };
}

function kubeconfigOf(server: string, ca: string, user: object): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
