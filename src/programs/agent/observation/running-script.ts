import type { WaitingRequest } from "../../../core/planner/database/waiting-requests.ts";
import type { EngineAnswer } from "./engine-watch.ts";
import { endpointCounters } from "./measurements.ts";
import type { CountersContext } from "./measurements.ts";

/** The script that an engine of a database runs; undefined for one that is not busy. The client is empty when no endpoint knows it. */
export async function runningScript(
  context: CountersContext,
  bdb: number,
  answer: EngineAnswer | undefined,
): Promise<WaitingRequest | undefined> {
  if (answer?.state !== "busy") return undefined;
  const endpoints = [...(await endpointCounters(context)).values()].flat().filter((endpoint) => endpoint.bdb === bdb);
  const unknown = { client: "", command: "a script", ageMs: answer.forMs };
  const known = endpoints.map(({ oldest }) => oldest).filter((request) => request !== undefined);
  return [...known.toSorted((one, other) => other.ageMs - one.ageMs), unknown][0];
}
