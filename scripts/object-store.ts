// Makes the object store that tests of backups run, outside the repository, and prints the path of its program alone on standard output.
// Exit codes: 0 it is there, 1 something failed, 3 not possible on this machine.
import { messageOf } from "#kit/base/fault";
import { builtProgram, ensureObjectStore, whyImpossible } from "../test/object-store/assets.ts";
import { existsSync } from "node:fs";

const FAILED = 1;
const NOT_POSSIBLE = 3;

process.exitCode = await main();

async function main(): Promise<number> {
  const impossible = existsSync(builtProgram()) ? undefined : whyImpossible();
  if (impossible !== undefined) {
    say(impossible);
    return NOT_POSSIBLE;
  }
  try {
    process.stdout.write(`${await ensureObjectStore(say)}\n`);
    return 0;
  } catch (error) {
    say(messageOf(error));
    return FAILED;
  }
}

function say(line: string): void {
  process.stderr.write(`object-store: ${line}\n`);
}
