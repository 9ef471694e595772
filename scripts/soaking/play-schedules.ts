import { parseArgs } from "node:util";
import { messageOf } from "#kit/base/fault";

const WRONG_ARGUMENTS = 2;
/** Progress is said after so many schedules. */
const STEP = 1_000;

/** Plays as many schedules as these arguments of a command say, one seed after the other; the exit code: 0, 1 when one failed, 2 for wrong arguments. */
export function playSchedules(command: string, args: readonly string[], play: (seed: number) => void): number {
  const wanted = wantedOf(args);
  if (typeof wanted === "string") {
    say(`${wanted}\nnpm run ${command} -- [--schedules 100000] [--from 1]`);
    return WRONG_ARGUMENTS;
  }
  const { schedules, from } = wanted;
  let failed = 0;
  for (let played = 0; played < schedules; played += 1) {
    try {
      play(from + played);
    } catch (error) {
      failed += 1;
      say(messageOf(error));
    }
    if ((played + 1) % STEP === 0) say(`${played + 1} of ${schedules} schedules, ${failed} failed`);
  }
  say(`${schedules} schedules from seed ${from}: ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function wantedOf(args: readonly string[]): { readonly schedules: number; readonly from: number } | string {
  try {
    const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
    const { values } = parseArgs({ args: [...args], options: { schedules: text("100000"), from: text("1") } });
    const [schedules = 0, from = 0] = [values.schedules, values.from].map(Number);
    const isRight = [schedules, from].every((number) => Number.isSafeInteger(number) && number > 0);
    return isRight ? { schedules, from } : "--schedules and --from are whole numbers from 1 on";
  } catch (error) {
    return messageOf(error);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
