import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The process that plays a seed: it prints a line of JSON for each thing that happens, and its verdict. */
export interface PlayedSeed {
  readonly seed: number;
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Ends it, with what it has started, when this process ends. */
  readonly endSignal: NodeJS.Signals;
  /** Gets a line for each thing that happens. */
  readonly say: (line: string) => void;
}

/** What a seed came to; rejects with the end of its complaints when it has none. */
export async function verdictOf<Verdict>({ seed, child, endSignal, say }: PlayedSeed): Promise<Verdict> {
  const end = (): void => void child.kill(endSignal);
  process.once("exit", end);
  let verdict: Verdict | undefined;
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on("line", (text) => {
    const said: { readonly verdict?: Verdict; readonly line?: string } = JSON.parse(text);
    if (said.line !== undefined) say(said.line);
    verdict ??= said.verdict;
  });
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  const [code] = await once(child, "close");
  process.removeListener("exit", end);
  if (verdict === undefined) throw new Error(`seed ${seed} ended with ${code}: ${complaints.slice(-20).join("\n")}`);
  return verdict;
}
