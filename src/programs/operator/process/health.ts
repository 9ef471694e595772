import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { EXPOSITION_TYPE } from "../../../core/api/metrics/exposition.ts";
import { capConnections, PATIENCE } from "#kit/processes/connection-caps";

/** What the probes and the metrics page tell. */
export interface Health {
  /** Why the operator can neither do its work nor wait its turn to lead; undefined when it can. */
  readonly unready: () => string | undefined;
  /** Text in the Prometheus exposition format. */
  readonly metrics: () => string;
}

/** No request has a body: one that has not arrived by then is given up, in milliseconds. */
const REQUEST_MS = 10_000;
const CAPS = { total: 128, ofAddress: 32 } as const;

/** Serves /liveness, /readiness and /metrics; port 0 takes a free one. */
export async function serveHealth(
  { unready, metrics }: Health,
  where: { readonly host: string; readonly port: number },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer(
    { ...PATIENCE, headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS },
    (request, response) => {
      const reply = (status: number, text: string): void => {
        response.writeHead(status, { "content-type": EXPOSITION_TYPE }).end(text);
      };
      switch (request.url) {
        case "/liveness":
          return reply(200, "alive\n");
        case "/readiness":
          return readiness(unready(), reply);
        case "/metrics":
          return reply(200, metrics());
        default:
          return reply(404, "not found\n");
      }
    },
  );
  capConnections(server, CAPS);
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

function readiness(why: string | undefined, reply: (status: number, text: string) => void): void {
  if (why === undefined) reply(200, "ready\n");
  else reply(503, `${why}\n`);
}
