/**
 * Calls `act` once this process has been able to see for `ms` that an answer does not come; the returned function cancels it. A process
 * that stood still has seen nothing meanwhile: a part of the time that ends far too late is waited for again.
 */
export function startPatience(ms: number, act: () => void): () => void {
  const part = ms / PARTS;
  let left = PARTS;
  let again = PARTS;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const due = performance.now() + part;
    timer = setTimeout(() => {
      const stoodStill = performance.now() - due > Math.max(part, LATE_MS);
      if (stoodStill && again > 0) again -= 1;
      else left -= 1;
      if (left > 0) wait();
      else act();
    }, part);
  };
  wait();
  return () => clearTimeout(timer);
}

const PARTS = 4;
/** A busy process is as late as this, in milliseconds. */
const LATE_MS = 50;

/** A signal of a deadline; disposing of it ends the wait, and the signal stays as it is. */
export interface PatientSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that aborts with a TimeoutError, as a signal of `AbortSignal` with a timeout does, but once this process has been able to see for `ms` that
 * nothing comes; and with `outer`, when that aborts.
 */
export function patientSignal(ms: number, outer?: AbortSignal): PatientSignal {
  const deadline = new AbortController();
  const end = startPatience(ms, () => {
    deadline.abort(new DOMException(`nothing came within ${ms} ms`, "TimeoutError"));
  });
  const signal = outer === undefined ? deadline.signal : AbortSignal.any([deadline.signal, outer]);
  return { signal, [Symbol.dispose]: end };
}
