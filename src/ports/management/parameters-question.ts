/** What clients of a database ask by CONFIG SET: a proxy sends it to its agent. */
export interface ParametersRequest {
  readonly bdb: number;
  /** `name=value` with blanks between. */
  readonly parameters: string;
  /** Addresses of the clients, for the log; not all of them when there are many. */
  readonly clients: readonly string[];
}

/** A proxy asks its agent to have parameters kept in the record of the database. */
export interface ParametersQuestion extends ParametersRequest {
  /** The reply carries the same number. */
  readonly ask: number;
}

/** What became of it: what clients have set since, by its revision in the record, or why nothing is kept. */
export type ParametersOutcome =
  | { readonly revision: number }
  | { readonly refused: { readonly code: string; readonly message: string; readonly remedy: string } };

/** The agent's answer to the question of that number. */
export interface ParametersAnswer {
  readonly answer: number;
  readonly outcome: ParametersOutcome;
}

/** How long a client waits until the record has its parameters, in milliseconds. */
export const PARAMETERS_ANSWER_MS = 5_000;
