import type { Clock } from "../../core/base/clock.ts";
import type { Log } from "../../core/base/log.ts";
import { PORTS } from "../../core/api/names.ts";
import type { Kube } from "../../ports/kube/kube.ts";
import { patchCommand } from "../../core/planner/operator/webhook.ts";
import type { WatchedNamespaces } from "../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import type { Release } from "../../core/releases/catalogue/release.ts";
import { followCertificate } from "./certificate.ts";
import { startWebhookMetrics } from "./metrics.ts";
import { startLookout } from "./namespace-objects.ts";
import { reviewer } from "./reviewer.ts";
import { serveAdmission, type AdmissionServer } from "./server.ts";

export interface WebhookDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Namespace of the operator: its Service and Secret are there. */
  readonly namespace: string;
  /** Namespaces whose objects are judged. */
  readonly watched: WatchedNamespaces;
  readonly release: Release;
  /** Where it listens. */
  readonly address: string;
  /** The fixed port when absent. */
  readonly port?: number;
}

export interface Webhook {
  /** Why nothing can be asked; undefined once it has a certificate and answers. */
  readonly unready: () => string | undefined;
  /** Prometheus exposition format. */
  readonly metrics: () => string;
  /** Undefined until it listens. */
  readonly port: () => number | undefined;
  /** Resolves once the signal has aborted and everything that was asked is answered. */
  readonly ended: Promise<void>;
}

/** Judges what is written to the kinds of ours (§2.1), on every replica of the operator, until `signal` aborts. */
export function startWebhook(deps: WebhookDeps, signal: AbortSignal): Webhook {
  const { kube, clock, log, namespace, release } = deps;
  const metrics = startWebhookMetrics();
  const traffic = countTraffic(clock);
  const judging = new AbortController(); // objects are followed until the last answer
  const lookout = startLookout(kube, { watched: deps.watched, clock, log, signal: judging.signal });
  const answer = traffic.noted(reviewer({ clock, log, namespace, release, lookout, metrics }));
  let server: AdmissionServer | undefined;
  const unready = (): string | undefined => {
    if (signal.aborted) return "stopping";
    return server === undefined ? "the webhook waits for the secret admission-tls" : undefined;
  };
  const onDistrust = (): void => {
    metrics.countDistrust();
    log.warn("a caller does not trust the certificate: caBundle of the webhook is stale", { remedy: patchCommand() });
  };
  const following = followCertificate(
    { kube, clock, log, namespace },
    async (serving) => {
      metrics.setExpiry(serving.expiry);
      if (server !== undefined) {
        server.present(serving);
        return;
      }
      const where = { host: deps.address, port: deps.port ?? PORTS.admission };
      server = await serveAdmission({ ...where, pair: serving, unready, answer, onDistrust, log });
      log.info("admission is served", { port: server.port });
    },
    signal,
  );
  return {
    unready,
    metrics: () => metrics.text(),
    port: () => server?.port,
    ended: following.then(async () => {
      await traffic.quiet();
      await server?.close();
      judging.abort(new Error("the webhook has ended"));
    }),
  };
}

/** The end waits until nothing has been asked for so long, since callers learn of it late; in milliseconds. */
const QUIET_MS = 1_000;
/** It waits so often at most. */
const PATIENCE = 5;

interface Traffic {
  noted<T>(answer: (text: string) => Promise<T>): (text: string) => Promise<T>;
  /** Resolves once nothing is asked any more, at once when nothing ever was. */
  quiet(): Promise<void>;
}

function countTraffic(clock: Clock): Traffic {
  let asked = 0;
  return {
    noted: (answer) => (text) => {
      asked += 1;
      return answer(text);
    },
    quiet: async () => {
      let before = 0;
      for (let waits = 0; asked !== before && waits < PATIENCE; waits += 1) {
        before = asked;
        await clock.sleep(QUIET_MS);
      }
    },
  };
}
