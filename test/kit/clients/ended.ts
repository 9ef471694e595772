import { until } from "#kit/testing/until";
import { startCutter } from "./cut.ts";
import type { Library } from "./libraries.ts";
import { startRecorder, type Attempts, type Recorder } from "./recorders.ts";

/** What a library did with a write whose connection ended before the engine had it. */
export interface Ended {
  /** The application sees nothing; else it gets this error. */
  readonly outcome: "sent again" | { readonly error: string };
  /** From the end of the connection to the next answer that the application got. */
  readonly backAfterMs: number;
}

const PATIENCE = { withinMs: 60_000 };
/** Its connections are there, and the library has warmed up. */
const AT_WORK = 200;

/** Ends the connection of a client of the library under an append, and looks at what comes of it. */
export async function endConnection(
  library: Library,
  attempts: Attempts,
  engine: { readonly host: string; readonly port: number },
): Promise<Ended> {
  await using cutter = await startCutter(engine);
  await using recorder = startRecorder(library, cutter, `${library.name}-${attempts}`, attempts);
  await until(`${library.name} is at work`, () => recorder.operations.length > AT_WORK, PATIENCE);
  const { request, at } = await cutter.cut("RPUSH");
  const value = new RegExp(`${library.name}-${attempts}-\\d+`).exec(request)?.[0];
  const cutOne = (): Recorder["operations"][number] | undefined =>
    recorder.operations.find(({ act }) => act.kind === "append" && act.value === value);
  const next = (): number | undefined => recorder.operations.find(({ end }) => (end ?? 0) > Number(at))?.end;
  await until(`${library.name} works again`, () => cutOne() !== undefined && next() !== undefined, PATIENCE);
  await recorder.stop();
  const error = recorder.failures[0] ?? "an error without a text";
  return {
    outcome: cutOne()?.end === undefined ? { error } : "sent again",
    backAfterMs: Math.round(((next() ?? 0) - Number(at)) / 1e6),
  };
}
