/** What the proxies of one database let each other know of the scripts that its clients have loaded. Bodies are never logged. */
export interface ScriptsRequest {
  readonly bdb: number;
  /** Scripts that an engine has taken, in base64. */
  readonly bodies?: readonly string[];
  /** A client has flushed them: what the primary has not any more is to be forgotten. */
  readonly flushed?: true;
  /** SHA-1 digests of all that the asking proxy has: it wants those that it lacks. */
  readonly known?: readonly string[];
}

/** Scripts that the asking proxy lacks, in base64; `more`: there are others. */
export interface ScriptsOutcome {
  readonly bodies: readonly string[];
  readonly more: boolean;
}

/** A proxy asks its agent to have the same done at the other proxies. */
export interface ScriptsQuestion {
  /** The reply carries the same number. */
  readonly ask: number;
  readonly scripts: ScriptsRequest;
}

/** What another node answered; `missing` says why there is no answer. */
export type OtherScripts =
  ({ readonly node: number } & ScriptsOutcome) | { readonly node: number; readonly missing: string };

/** The agent's answer to the question of that number. */
export interface ScriptsAnswer {
  readonly answer: number;
  readonly scripts: readonly OtherScripts[];
}

/** A node that has not answered after this counts as missing, in milliseconds. */
export const SCRIPTS_ANSWER_MS = 2_000;
/** So many scripts, of so many bytes together, are in one message; a larger script is not shared. */
export const SHARED_AT_ONCE = { scripts: 200, bytes: 512 * 1024 } as const;
/** So many digests are in one message. */
export const MOST_KNOWN = 2_000;
