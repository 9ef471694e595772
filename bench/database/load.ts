import { join } from "node:path";
import type { LedgerReport } from "../../test/kit/load/load-ledger.ts";
import { startHelper } from "../helper/process.ts";
import type { LoadAnswer, LoadOrder, LoadTask, Window } from "./load-process.ts";

/** What clients saw: all the time, and while something happened. */
export interface Seen extends Window, Pick<LedgerReport, "requests" | "failed" | "lost" | "complaints"> {}

/** Runs `act` while clients write in a process of their own, and says what they saw. */
export async function underLoad(task: LoadTask, act: () => Promise<void>): Promise<Seen> {
  using load = startHelper<LoadOrder, LoadAnswer>(join(import.meta.dirname, "load-process.ts"), task);
  await load.ask("window");
  await act();
  const { report: _none, ...times } = await load.ask("window");
  const { report } = await load.ask("end");
  if (report === undefined) throw new Error("the clients have not said what they saw");
  return { ...report, ...times };
}
