/** The commands of a remedy: each ends a sentence, and sentences end with a semicolon. */
export function typedLines(remedy: string): readonly string[] {
  return remedy
    .split("; ")
    .flatMap((part) => /^(?:(?:and|or) )?(?:.*?: )?((?:kubectl|curl|storectl|sed) .*)$/.exec(part)?.[1] ?? []);
}
