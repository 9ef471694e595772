import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What the probes and the metrics page tell. */
export interface Health {
  /** The operator can do its work, or waits its turn to lead. */
  readonly isReady: () => boolean;
  /** Text in the Prometheus exposition format. */
  readonly metrics: () => string;
}

/** Serves /liveness, /readiness and /metrics; port 0 takes a free one. */
export async function serveHealth(
  { isReady, metrics }: Health,
  where: { readonly host: string; readonly port: number },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const reply = (status: number, text: string): void => {
      response.writeHead(status, { "content-type": "text/plain; version=0.0.4" }).end(text);
    };
    switch (request.url) {
      case "/liveness":
        return reply(200, "alive\n");
      case "/readiness":
        return isReady() ? reply(200, "ready\n") : reply(503, "starting\n");
      case "/metrics":
        return reply(200, metrics());
      default:
        return reply(404, "not found\n");
    }
  });
  server.listen(where.port, where.host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
