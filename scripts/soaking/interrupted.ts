const INTERRUPTED = 130;

/** Ends with 130 when the process is interrupted, after a report of what was done until then. */
export function onInterrupt(report: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      report();
      process.exit(INTERRUPTED);
    });
}
