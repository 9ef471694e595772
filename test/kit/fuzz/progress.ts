/** Says how far a long run is, in twenty steps; a short one says nothing. `done` is to be called with each further one that is over. */
export function progressOf(what: string, total: number): (done: number) => void {
  const began = performance.now();
  let said = 0;
  return (done) => {
    const step = Math.floor((done * STEPS) / total);
    if (total < LONG || step === said) return;
    said = step;
    const seconds = Math.round((performance.now() - began) / 1_000);
    process.stderr.write(`${done} of ${total} ${what} in ${seconds} s\n`);
  };
}

const STEPS = 20;
const LONG = 20_000;
