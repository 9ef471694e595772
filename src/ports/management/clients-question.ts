/** CLIENT LIST, KILL, UNBLOCK, PAUSE or UNPAUSE of a client: its arguments without the first word, in latin1. */
export interface ClientsRequest {
  readonly bdb: number;
  readonly request: readonly string[];
}

/** What it did to the clients of one proxy. */
export interface ClientsOutcome {
  /** The lines of CLIENT LIST; empty for the others. */
  readonly lines: string;
  /** How many clients were ended or unblocked. */
  readonly count: number;
}

/** A proxy asks its agent to have the same done at the other nodes. */
export interface ClientsQuestion extends ClientsRequest {
  /** The reply carries the same number. */
  readonly ask: number;
  /** Only this node is meant. */
  readonly node?: number;
}

/** The same without its number. */
export type AgentQuestion = Omit<ClientsQuestion, "ask">;

/** The answer of another node; `missing` says why there is none, although the node may have done what was asked. */
export type OtherClients =
  ({ readonly node: number } & ClientsOutcome) | { readonly node: number; readonly missing: string };

/** The agent's answer to the question of that number. */
export interface ClientsAnswer {
  readonly answer: number;
  readonly others: readonly OtherClients[];
}

/** A node that has not answered after this counts as missing, in milliseconds. */
export const CLIENTS_ANSWER_MS = 1_000;

/** So many arguments, of at most so many bytes each, go to other nodes. */
export const CLIENTS_REQUEST_WORDS = 1_024;
export const CLIENTS_WORD_BYTES = 1_024;
