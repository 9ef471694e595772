import { Answering } from "./answering.ts";
import { mayRefuse, OUT_OF_MEMORY, type EvictionPolicy } from "./memory.ts";
import type { Answer, Answered, Period, Step, Story } from "./story.ts";

/** What a client had to live with. */
export interface Circumstances {
  /** When the primary changed or started again. */
  readonly changes: readonly Period[];
  /** Nothing has failed: no request is refused, and one without an answer was not executed. */
  readonly isCalm: boolean;
  /** What was acknowledged is there also after a change of the primary. */
  readonly losesNothing: boolean;
  /** From this moment on the date of an engine may have been set. */
  readonly timesHoldUntil: number;
  /** What is taken when the memory is full; undefined: it never is. */
  readonly eviction?: EvictionPolicy | undefined;
}

/** What was judged of a story: how many answers, and what is wrong with the first that is wrong. */
export interface Judged {
  readonly answers: number;
  readonly wrong: string | undefined;
}

/** Compares each answer with the one that is right, up to the first outcome that is not known. */
export function judgeStory({ name, steps }: Story, around: Circumstances): Judged {
  const keys = new Answering(around);
  const known = knownUntil(steps[0]?.begin ?? 0, around);
  let answers = 0;
  for (const step of steps) {
    if (step.end >= known) break;
    if (around.isCalm && step.answer.kind === "none") continue;
    if (isRefusedRightly(step, around)) {
      answers += 1;
      continue;
    }
    const reply = replyIn(step.answer);
    if (reply === undefined) {
      const isWrong = around.isCalm || isUnexplained(step.answer);
      return { answers, wrong: isWrong ? wordsOf(name, step, "though nothing explains it") : undefined };
    }
    const wrong = keys.answer(step.command, reply, step);
    if (wrong !== undefined) return { answers, wrong: wordsOf(name, step, wrong) };
    answers += 1;
  }
  return { answers, wrong: undefined };
}

/** When a change of the primary may first have taken something from what began at a moment. */
export function knownUntil(begin: number, { changes, losesNothing }: Circumstances): number {
  const since = changes.filter(({ to }) => to >= begin).map(({ from }) => from);
  return losesNothing ? Number.POSITIVE_INFINITY : Math.min(...since);
}

/** An error that says what a value is has to be right, as every other reply. */
const ABOUT_VALUES = /^(WRONGTYPE|NOGROUP|BUSYGROUP|ERR (?!store:))/;

/** Of these the model knows for which values they are right. */
const ABOUT_KEYS = /^(WRONGTYPE|ERR value is not an integer)/;

/** It changes nothing then. */
function isRefusedRightly({ answer, command: [name = ""] }: Step, { eviction }: Circumstances): boolean {
  return answer.kind === "error" && OUT_OF_MEMORY.test(answer.text) && mayRefuse(eviction, name);
}

function replyIn(answer: Answer): Answered | undefined {
  if (answer.kind === "reply") return answer.reply;
  return answer.kind === "error" && ABOUT_KEYS.test(answer.text) ? { error: answer.text } : undefined;
}

/** No fault explains such an answer. */
export function isUnexplained(answer: Answer): boolean {
  return answer.kind === "error" && ABOUT_VALUES.test(answer.text);
}

function wordsOf(name: string, { command, answer, begin, end }: Step, what: string): string {
  const asked = command.join(" ");
  const short = asked.length > 200 ? `${asked.slice(0, 200)} …` : asked;
  const given = answer.kind === "error" ? `the error "${answer.text}" ` : answer.kind === "none" ? "no answer " : "";
  return `${name}: ${short}, from ${begin} to ${end}: ${given}${what}`;
}
