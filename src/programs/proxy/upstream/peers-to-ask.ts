/** An engine that can be reached, as far as is known. */
export interface SeenPeer {
  /** Address of the machine that it runs on. */
  readonly machine: string;
  /** It was asked, and has not answered yet. */
  readonly isSilent: boolean;
  /** Requests of clients are at it. */
  readonly isAtWork: boolean;
}

/**
 * Which engines are asked now whether they are still there: those at work, and one other of each machine, another one in each
 * `turn`. Once an engine of a machine is silent, all others of that machine are asked: it may have vanished.
 */
export function peersToAsk<P extends SeenPeer>(peers: readonly P[], turn: number): readonly P[] {
  return [...Map.groupBy(peers, ({ machine }) => machine).values()].flatMap((all) => {
    const answering = all.filter(({ isSilent }) => !isSilent);
    if (answering.length < all.length) return answering;
    const idle = all.filter(({ isAtWork }) => !isAtWork);
    const chosen = idle[turn % idle.length];
    return all.filter((peer) => peer.isAtWork || peer === chosen);
  });
}
