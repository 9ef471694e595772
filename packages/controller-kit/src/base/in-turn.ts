/** Runs acts one after the other, in the order in which they come; each caller gets the outcome of its own act. */
export type InTurn = <T>(act: () => Promise<T>) => Promise<T>;

/** The turns of acts of which no two may run at once, whatever becomes of each. */
export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const own = last.then(act);
    last = own.catch(() => undefined); // its own caller gets the failure
    return own;
  };
}
