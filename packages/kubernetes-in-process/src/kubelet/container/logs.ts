import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";
import type { LogFile } from "./log-file.ts";
import { readLog } from "./log-reader.ts";
import type { LogQuery } from "./log-reader.ts";

/** What a reader of logs asks for; times and counts as `kubectl logs` has them. */
export interface LogOptions {
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly limitBytes?: number;
}

/** Where the log of one run is; `live` while the run goes on. */
export interface LogPlace {
  readonly path: string;
  readonly live: LogFile | undefined;
}

/** Finds the log of a container; or says in words that follow the container's name why there is none. */
export type FindLog = (podUid: string, container: string, previous: boolean) => LogPlace | string;

/** The part of a pod that names it. */
export interface PodName {
  readonly metadata: { readonly uid?: string; readonly name?: string };
}

/** Output of a container; KUBELET_NO_LOG when it has not run. Ends with the run, or at once without `follow`. */
export async function* streamPodLog(
  find: FindLog,
  { metadata }: PodName,
  container: string,
  options: LogOptions,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const log = find(metadata.uid ?? "", container, options.previous ?? false);
  if (typeof log === "string") {
    throw new Fault(faults.noLog, `container "${container}" in pod "${metadata.name ?? ""}" ${log}`);
  }
  yield* readLog(log.path, queryOf(options, clock), options.follow === true ? log.live : undefined, signal);
}

function queryOf(
  { timestamps = false, tailLines, limitBytes, sinceTime, sinceSeconds }: LogOptions,
  clock: Clock,
): LogQuery {
  const ago = sinceSeconds === undefined ? undefined : new Date(clock.now().getTime() - sinceSeconds * 1_000);
  return { timestamps, tailLines, limitBytes, since: sinceTime === undefined ? ago : new Date(sinceTime) };
}
