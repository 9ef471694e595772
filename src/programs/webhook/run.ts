import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { PORTS } from "../../core/api/names.ts";
import type { Kube, Ref } from "#kit/kube/kube";
import { patchCommand } from "../../core/planner/operator/webhook.ts";
import { refusalOfGrowth } from "../../mechanisms/observe/kubernetes/claims.ts";
import type { WatchedNamespaces } from "../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import type { Release } from "../../core/releases/catalogue/release.ts";
import { followCertificate } from "./certificate.ts";
import { fewWaiting } from "./few-waiting.ts";
import { startWebhookMetrics, type WebhookMetrics } from "./metrics.ts";
import { startObjectLookup } from "./namespace-objects.ts";
import { reviewer } from "./reviewer.ts";
import { serveAdmission, type AdmissionServer } from "./server.ts";

export interface WebhookDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Namespace of the operator: its Service and Secret are there. */
  readonly namespace: string;
  /** Namespaces whose objects are validated. */
  readonly watched: WatchedNamespaces;
  readonly release: Release;
  /** Where it listens. */
  readonly address: string;
}

export interface Webhook {
  /** Why reviews cannot be answered; undefined once it has a certificate and answers. */
  readonly unready: () => string | undefined;
  /** Prometheus exposition format. */
  readonly metrics: () => string;
  /** Resolves once the signal has aborted and every review is answered. */
  readonly ended: Promise<void>;
}

/** Validates what is written to the kinds of the product (§2.1), on every replica of the operator, until `signal` aborts. */
export function startWebhook(deps: WebhookDeps, signal: AbortSignal): Webhook {
  const { kube, clock, log, namespace, release } = deps;
  const metrics = startWebhookMetrics();
  const traffic = countTraffic(clock);
  const answering = new AbortController(); // objects are followed until the last answer
  const objects = startObjectLookup(kube, { watched: deps.watched, clock, log, signal: answering.signal });
  const growthRefusal = growthRefusals(kube);
  const answer = traffic.counted(reviewer({ clock, log, namespace, release, objects, metrics, growthRefusal }));
  let server: AdmissionServer | undefined;
  const unready = (): string | undefined => {
    if (signal.aborted) return "stopping";
    return server === undefined ? "the webhook waits for the secret admission-tls" : undefined;
  };
  const onDistrust = distrustReporter(metrics, deps);
  const following = followCertificate(
    { kube, clock, log, namespace },
    async (serving) => {
      metrics.setExpiry(serving.expiry);
      if (server !== undefined) {
        server.present(serving);
        return;
      }
      const where = { host: deps.address, port: PORTS.admission };
      server = await serveAdmission({ ...where, pair: serving, unready, answer, onDistrust, clock, log });
      log.info("admission is served", { port: server.port });
    },
    signal,
  );
  return {
    unready,
    metrics: () => metrics.text(),
    ended: following.then(async () => {
      await traffic.quiet();
      await server?.close();
      answering.abort(new Error("the webhook has ended"));
    }),
  };
}

function growthRefusals(kube: Kube): (cluster: Required<Ref>, size: string) => ReturnType<typeof refusalOfGrowth> {
  return fewWaiting(MOST_ASKED, (cluster: Required<Ref>, size: string) => refusalOfGrowth(kube, cluster, size));
}

/** Each review of larger volumes asks Kubernetes about each of them, and anyone may send some: so many wait. The operator asks again. */
const MOST_ASKED = 16;
/** The end waits until no review has come for this time, as callers learn late that the pod ends; in milliseconds. */
const QUIET_MS = 1_000;
/** It waits this often at most. */
const QUIET_WAITS = 5;

/** Each caller is counted; anyone may call, so the log says it once a minute at most, in milliseconds. */
const DISTRUST_MS = 60_000;

function distrustReporter(metrics: WebhookMetrics, { clock, log }: Pick<WebhookDeps, "clock" | "log">): () => void {
  let saidAt = -Infinity;
  return () => {
    metrics.countDistrust();
    if (clock.uptimeMs() - saidAt < DISTRUST_MS) return;
    saidAt = clock.uptimeMs();
    log.warn("a caller does not trust the certificate: caBundle of the webhook is stale", { remedy: patchCommand() });
  };
}

interface Traffic {
  counted<T>(answer: (text: string) => Promise<T>): (text: string) => Promise<T>;
  /** Resolves once no more reviews come, at once when none ever came. */
  quiet(): Promise<void>;
}

function countTraffic(clock: Clock): Traffic {
  let asked = 0;
  return {
    counted: (answer) => (text) => {
      asked += 1;
      return answer(text);
    },
    quiet: async () => {
      let before = 0;
      for (let waits = 0; asked !== before && waits < QUIET_WAITS; waits += 1) {
        before = asked;
        await clock.sleep(QUIET_MS);
      }
    },
  };
}
