/** Runs acts one after the other, whatever becomes of each. */
export type InTurn = <T>(act: () => Promise<T>) => Promise<T>;

/** The turns of those that check the records of a cluster before they write: two at once would both find what only one can have. */
export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const own = last.then(act);
    last = own.catch(() => undefined); // its own caller gets the failure
    return own;
  };
}
