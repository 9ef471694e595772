/** An endpoint, by the connections that it holds: of its clients, and those that they have to engines for themselves. */
export interface ConnectionHolder {
  readonly connections: number;
}

/** Files of the process itself. */
const OF_PROCESS = 512;
/** Files of an endpoint without clients: it listens, shares connections to its engines, and tells a few clients why they are refused. */
const OF_ENDPOINT = 48;

/** The files that a process may open, divided among its endpoints: none can take what another one is kept. */
export class ConnectionBudget {
  readonly #files: number;
  readonly #holders = new Set<ConnectionHolder>();

  /** `files`: what the process may open; Infinity without a limit. */
  constructor(files: number) {
    this.#files = files;
  }

  join(holder: ConnectionHolder): void {
    this.#holders.add(holder);
  }

  leave(holder: ConnectionHolder): void {
    this.#holders.delete(holder);
  }

  mayOpen(holder: ConnectionHolder): boolean {
    const { connections } = holder;
    if (connections < sharesOf(this.#files, this.#holders.size).share) return true;
    return mayOpen(
      this.#files,
      connections,
      [...this.#holders].filter((one) => one !== holder).map((one) => one.connections),
    );
  }
}

/**
 * Whether an endpoint that holds `own` connections may have another. Half of all is kept for the endpoints in equal shares, and one
 * such share for an endpoint that comes; the rest is for the one that asks first.
 */
export function mayOpen(files: number, own: number, others: readonly number[]): boolean {
  const { room, share } = sharesOf(files, others.length + 1);
  if (own < share) return true;
  const kept = others.reduce((sum, one) => sum + Math.max(one, share), share);
  return own + kept < room;
}

function sharesOf(files: number, endpoints: number): { readonly room: number; readonly share: number } {
  const room = files - OF_PROCESS - OF_ENDPOINT * endpoints;
  return { room, share: Math.floor(room / 2 / (endpoints + 1)) };
}
