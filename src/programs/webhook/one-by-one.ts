/** Does pieces of work one after the other, in the order in which they come; each has the outcome of its own. */
export function oneByOne(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined); // it is the outcome of that piece alone
    return done;
  };
}
