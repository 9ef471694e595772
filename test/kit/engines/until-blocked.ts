import { until } from "#kit/testing/until";
import type { TestEngine } from "./engine.ts";

/** Resolves when so many clients wait at the engine for what a blocking command is to give them: their requests have arrived. */
export async function untilBlocked(engine: Pick<TestEngine, "call">, count: number): Promise<void> {
  await until(`${count} clients are blocked`, async () =>
    String(await engine.call("INFO", "clients")).includes(`blocked_clients:${count}\r\n`),
  );
}
