/**
 * One step of a scenario. It prints its name when it begins, so that a run that is killed shows how far it was; an error of it names the
 * step.
 */
export async function step<T>(name: string, body: () => Promise<T>, say = printWithInstant): Promise<T> {
  say(name);
  try {
    return await body();
  } catch (error) {
    throw new Error(`step "${name}" failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Plays steps one after another on what they share, in their order, up to the first that fails. */
export async function steps<S>(scene: S, all: Readonly<Record<string, (scene: S) => Promise<void>>>): Promise<void> {
  for (const [name, body] of Object.entries(all)) await step(name, () => body(scene));
}

function printWithInstant(name: string): void {
  process.stdout.write(`${new Date().toISOString()} step: ${name}\n`);
}
