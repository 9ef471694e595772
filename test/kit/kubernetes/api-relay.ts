import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { loadKubeConfig } from "#kit/kube/config";

/** The way of one program to an API server, which a test cuts and mends. */
export interface ApiRelay extends AsyncDisposable {
  /** A kubeconfig whose server is this relay. */
  kubeconfig(original: string): string;
  /** Ends every connection, and refuses new ones ("reject") or takes them and answers nothing ("drop"). */
  cut(how: "reject" | "drop"): void;
  mend(): void;
}

/** Relays to one API server, one for each node. */
export interface ApiRelays extends AsyncDisposable {
  of(uid: number): ApiRelay;
  /** Path of a kubeconfig for the node, by way of its relay. */
  kubeconfigOf(uid: number): Promise<string>;
}

/** Opens none yet: each node gets a relay on `host` when its kubeconfig is first asked for. */
export async function openApiRelays(kubeconfig: string, folder: string, host: string): Promise<ApiRelays> {
  const original = readFileSync(kubeconfig, "utf8");
  const { server } = loadKubeConfig({ KUBECONFIG: kubeconfig });
  const stack = new AsyncDisposableStack();
  const relays = new Map<number, ApiRelay>();
  const of = (uid: number): ApiRelay => {
    const relay = relays.get(uid);
    if (relay === undefined) throw new Error(`node ${uid} was never started`);
    return relay;
  };
  return {
    of,
    kubeconfigOf: async (uid: number): Promise<string> => {
      const path = join(folder, `node-${uid}.kubeconfig`);
      if (!relays.has(uid)) {
        const relay = stack.use(await startApiRelay(server, host));
        relays.set(uid, relay);
        writeFileSync(path, relay.kubeconfig(original), { mode: 0o600 });
      }
      return path;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Relays connections to the server that `url` names, as they are: TLS ends at both ends. */
async function startApiRelay(url: string, host: string): Promise<ApiRelay> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket.on("error", () => socket.destroy());
  };
  let state: "open" | "reject" | "drop" = "open";
  const server = createServer((client) => {
    keep(client);
    if (state === "reject") client.destroy();
    if (state !== "open") return;
    const behind = keep(connect({ host: hostname, port: Number(port) }));
    client.pipe(behind).pipe(client);
    behind.once("close", () => client.destroy());
    client.once("close", () => behind.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    kubeconfig: (original) => original.replace(url, `https://${host}:${(server.address() as AddressInfo).port}`),
    cut: (how) => {
      state = how;
      end();
    },
    mend: () => {
      state = "open";
      end();
    },
    async [Symbol.asyncDispose]() {
      end();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
