import { once } from "node:events";
import { createServer } from "node:https";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { MODULE_HOSTS_ANNOTATION } from "../../../src/core/api/names.ts";
import { Secrets } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { createAuthority, issue } from "#kit/pki/authority";

/** A server of module archives: TLS with an authority of its own, and credentials. */
export interface ModuleRepository {
  /** Address of the archive `name`. */
  url(name: string): string;
  put(name: string, archive: Buffer): void;
  /** Makes the Secret `name` that lets its readers in. */
  admit(kube: Kube, namespace: string, name: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts an empty one on a free port; each request is answered once `onRequest` has ended. */
export async function startModuleRepository(onRequest?: (path: string) => Promise<void>): Promise<ModuleRepository> {
  const now = new Date();
  const authority = createAuthority({ commonName: "modules", now, days: 1 });
  const identity = issue(authority, {
    commonName: "modules",
    dnsNames: ["localhost"],
    ipAddresses: [],
    usages: ["server"],
    now,
    days: 1,
  });
  const archives = new Map<string, Buffer>();
  const login = `Basic ${Buffer.from("reader:word").toString("base64")}`;
  const answer = (path: string, authorization: string | undefined, response: ServerResponse): void => {
    const archive = archives.get(path);
    if (authorization !== login) response.writeHead(401).end();
    else if (archive === undefined) response.writeHead(404).end();
    else response.end(archive);
  };
  const server = createServer({ key: identity.key, cert: identity.certificate }, ({ url = "", headers }, response) => {
    const ready = onRequest?.(url) ?? Promise.resolve();
    ready.then(
      () => answer(url, headers.authorization, response),
      (error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `https://localhost:${port}/${name}`,
    put: (name, archive) => void archives.set(`/${name}`, archive),
    admit: async (kube, namespace, name) => {
      const stringData = { username: "reader", password: "word", "ca.crt": authority.certificate };
      const annotations = { [MODULE_HOSTS_ANNOTATION]: "localhost" };
      await kube.create(Secrets, { metadata: { name, namespace, annotations }, stringData });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
