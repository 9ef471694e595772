import { isUnexplained, knownUntil, type Circumstances, type Judged } from "../stories/judge.ts";
import type { Company } from "./company.ts";
import type { Asked, Happening, Tale } from "./tale.ts";

/** Judges a tale up to the first moment from which something may have been lost. */
export function judgeTale({ judge }: Pick<Company, "judge">, tale: Tale, around: Circumstances): Judged {
  const events = knownPart(tale, around);
  const answers = events.filter((event) => event.kind === "pushed" || isAnswered(event)).length;
  const refused = events.find((event) => event.kind === "asked" && isWronglyRefused(event, around));
  const wrong =
    refused === undefined
      ? judge({ name: tale.name, events }, around)
      : `${JSON.stringify(refused)}, though nothing explains it`;
  return { answers, wrong: wrong === undefined ? undefined : `${tale.name}: ${wrong}` };
}

/** What was answered later has no outcome. Where nothing fails, what was not answered was not executed. */
function knownPart({ events }: Tale, around: Circumstances): readonly Happening[] {
  const known = knownUntil(beginOf(events[0]), around);
  return events.flatMap((event): Happening[] => {
    if (event.kind !== "asked") return event.at < known ? [event] : [];
    if (event.begin >= known) return [];
    const seen: Asked = event.end < known ? event : { ...event, answer: { kind: "none" } };
    return around.isCalm && seen.answer.kind === "none" ? [] : [seen];
  });
}

function beginOf(event: Happening | undefined): number {
  if (event === undefined) return 0;
  return event.kind === "asked" ? event.begin : event.at;
}

function isAnswered(event: Happening): boolean {
  return event.kind === "asked" && event.answer.kind === "reply";
}

function isWronglyRefused({ answer }: Asked, { isCalm }: Circumstances): boolean {
  return answer.kind === "error" && (isCalm || isUnexplained(answer));
}
