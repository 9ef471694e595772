import type { ServerResponse } from "node:http";
import type { ConfigMap } from "kubernetes-types/core/v1.js";
import type { Clock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { ConfigMaps } from "../kube/builtin.ts";
import { connect } from "../kube/client.ts";
import { startInformer, type Informer } from "../kube/informer.ts";
import { SkippingClock } from "./skipping-clock.ts";
import { answerStatus, reply, scriptedApi, type RecordedRequest } from "./scripted-api.ts";

/** An informer of the ConfigMaps in "ns" and its server. */
export interface InformerScene extends AsyncDisposable {
  readonly informer: Informer<ConfigMap>;
  /** The changes so far: `ns/a 1>2` for one from version 1 to 2, `-` where there is no object. */
  readonly seen: readonly string[];
  /** Ends the informer. */
  readonly stop: AbortController;
}

export interface InformerSceneOptions {
  /** By default pauses between attempts take no time. */
  readonly clock?: Clock;
  readonly requestTimeoutMs?: number;
  /** Answers in place of the server. */
  readonly answer?: (asked: RecordedRequest, response: ServerResponse) => void;
}

/** Starts an informer that follows `server`. */
export async function informerScene(server: ListServer, options: InformerSceneOptions = {}): Promise<InformerScene> {
  const { clock = new SkippingClock(), answer = server.answer, ...transport } = options;
  const owned = new AsyncDisposableStack();
  const api = owned.use(await scriptedApi(answer));
  const kube = owned.adopt(connect(api.config, transport), (client) => client.close());
  const stop = new AbortController();
  owned.defer(() => stop.abort());
  const common = { namespace: "ns", log: silentLog, clock };
  const informer = startInformer(kube, ConfigMaps, { ...common, signal: stop.signal });
  return {
    informer,
    seen: changesOf(informer),
    stop,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What the informer reports from now on, as in `InformerScene.seen`. */
export function changesOf(informer: Informer<ConfigMap>): readonly string[] {
  const seen: string[] = [];
  informer.onChange((ref, current, previous) => {
    const part = (object: typeof current): string => object?.metadata.resourceVersion ?? "-";
    seen.push(`${ref.namespace}/${ref.name} ${part(previous)}>${part(current)}`);
  });
  return seen;
}

/** A server with a list that a test changes, and watches that a test sends events through. */
export class ListServer {
  items: object[] = [];
  version = "1";
  /** So many lists are refused, with `retryAfter` in seconds. */
  failLists = 0;
  retryAfter = "0";
  readonly watches: { readonly from: string | null; readonly response: ServerResponse }[] = [];
  /** Lists that it was asked for. */
  lists = 0;

  answer = (asked: RecordedRequest, response: ServerResponse): void => {
    if (asked.query.get("watch") === "true") {
      response.writeHead(200).flushHeaders();
      this.watches.push({ from: asked.query.get("resourceVersion"), response });
      return;
    }
    this.lists += 1;
    if (this.failLists > 0) {
      this.failLists -= 1;
      answerStatus(response, 429, "storage is (re)initializing", { "retry-after": this.retryAfter });
      return;
    }
    reply(response, { metadata: { resourceVersion: this.version }, items: this.items });
  };

  /** Sends an event through the newest watch. */
  send(type: string, object: object): void {
    this.watches.at(-1)?.response.write(`${JSON.stringify({ type, object })}\n`);
  }
}
