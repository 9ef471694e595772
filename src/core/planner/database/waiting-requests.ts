/** A request that a move waits for. */
export interface WaitingRequest {
  readonly client: string;
  readonly command: string;
  readonly ageMs: number;
}

/** What a move waits for, as a sentence, the oldest first; undefined for nothing. */
export function busyText(requests: readonly WaitingRequest[]): string | undefined {
  const [oldest, ...others] = requests.toSorted((one, other) => other.ageMs - one.ageMs);
  if (oldest === undefined) return undefined;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `the primary has not answered yet: ${describeRequest(oldest)}${more}`;
}

/** A request with its client, if that is known, and its age: `EVAL of client 10.0.0.7:51234 (12 s)`. */
export function describeRequest({ client, command, ageMs }: WaitingRequest): string {
  const age = ageMs < 1000 ? `${Math.round(ageMs)} ms` : `${Math.round(ageMs / 1000)} s`;
  return `${command}${client === "" ? "" : ` of client ${client}`} (${age})`;
}
