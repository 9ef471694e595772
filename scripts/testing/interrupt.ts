/** Aborted by Ctrl-C, or when the process is asked to end in another way. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      controller.abort(new Interrupted(signal));
    });
  return controller.signal;
}

/** The run was ended from outside. */
export class Interrupted extends Error {}
