/** A request that a move waits for. */
interface WaitingRequest {
  readonly client: string;
  readonly command: string;
  readonly ageMs: number;
}

/** A request with its client and its age: `EVAL of client 10.0.0.7:51234 (12 s)`. */
export function describeRequest({ client, command, ageMs }: WaitingRequest): string {
  const age = ageMs < 1000 ? `${Math.round(ageMs)} ms` : `${Math.round(ageMs / 1000)} s`;
  return `${command} of client ${client} (${age})`;
}
