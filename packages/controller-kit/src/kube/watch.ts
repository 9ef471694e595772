import { Fault } from "../base/fault.ts";
import { decodeEvent } from "./decode.ts";
import type { ResourceType, WatchEvent, WatchOptions } from "./kube.ts";
import { linesOf } from "./lines.ts";
import { collectionPath } from "./path.ts";
import { unreachable, type Transport } from "./transport.ts";

/** Events of one watch request, one connection; asks the server to end it after 4 to 8 minutes, so that load spreads. */
export async function* watchObjects<T>(
  transport: Transport,
  type: ResourceType<T>,
  { namespace, labelSelector, fieldSelector, resourceVersion, signal }: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const timeoutSeconds = 240 + Math.floor(Math.random() * 240);
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds,
    resourceVersion,
    labelSelector,
    fieldSelector,
  };
  const path = collectionPath(type, namespace, query);
  try {
    const body = await transport.stream({ path, metadataOnly: type.metadataOnly }, signal);
    for await (const line of linesOf(body, MAX_LINE)) {
      if (signal.aborted) return;
      yield decodeEvent(type, line);
    }
  } catch (error) {
    if (signal.aborted) return; // breaking the stream is how a watch is ended
    throw error instanceof Fault ? error : unreachable(`watch of ${type.plural}`, "the API server", error);
  }
}

/** Servers store objects of up to about 1.5 MiB; an event may hold one with some words around it. */
const MAX_LINE = 8 * 1024 * 1024;
