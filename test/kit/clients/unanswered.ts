import { until } from "#kit/testing/until";
import type { TestEngine } from "../engines/engine.ts";
import { startHolder } from "./hold.ts";
import type { Library } from "./libraries.ts";
import { startRecorder, type Attempts } from "./recorders.ts";

/** What a library did with an append that the engine had executed, and whose answer did not come. */
export interface Unanswered {
  /** From the request to the next one that is the same. */
  readonly againAfterMs: number;
  /** How often the element stands in the list. */
  readonly elements: number;
}

const PATIENCE = { withinMs: 60_000 };
/** Its connections are there, and the library has warmed up. */
const AT_WORK = 200;

/** Keeps the answer to an append of a client of the library back until the library sends the append again; rejects when it does not. */
export async function leaveUnanswered(library: Library, attempts: Attempts, engine: TestEngine): Promise<Unanswered> {
  await using holder = await startHolder(engine);
  const name = `${library.name}-${attempts}`;
  await using recorder = startRecorder(library, holder, name, attempts);
  await until(`${name} is at work`, () => recorder.operations.length > AT_WORK, PATIENCE);
  const value = new RegExp(`${name}-\\d+\\r\\n`);
  const { mark, cameAt } = await holder.hold((request) =>
    request.toUpperCase().includes("\r\nRPUSH\r\n") ? value.exec(request)?.[0] : undefined,
  );
  await until(`${name} sends again what had no answer`, () => cameAt.length > 1, PATIENCE);
  const answered = (): Recorded | undefined =>
    recorder.operations.find(({ act }) => act.kind === "append" && act.value === mark.trim());
  await until(`${name} has its answer`, () => answered() !== undefined, PATIENCE);
  await recorder.stop();
  const [first = 0, second = 0] = cameAt;
  const places = await engine.call("LPOS", answered()?.key ?? "", mark.trim(), "COUNT", "0");
  return { againAfterMs: second - first, elements: Array.isArray(places) ? places.length : 0 };
}

type Recorded = ReturnType<typeof startRecorder>["operations"][number];
