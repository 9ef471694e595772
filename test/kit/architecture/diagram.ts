import { readFileSync } from "node:fs";

/** One arrow of a diagram, or one row of a table. */
export type Arrow = `${string} --${string}--> ${string}`;

/**
 * The arrows that are drawn in the comments of a file, sorted: `one, other --event--> state --event--> state`. Several events share an arrow
 * by commas, too, and `any` stands for all states that some arrow names.
 */
export function arrowsDrawn(path: string): readonly Arrow[] {
  const drawn = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => /^ \* .*--[a-z, -]+-->/.test(line))
    .flatMap((line) => chainOf(line.replace(/^ \*/, "")));
  const states = new Set(drawn.flatMap(({ from, to }) => [from, to]).filter((state) => state !== "any"));
  const arrows = drawn.flatMap(({ from, event, to }) =>
    (from === "any" ? [...states].filter((state) => state !== to) : [from]).map((one) => arrow(one, event, to)),
  );
  return [...new Set(arrows)].toSorted();
}

/** The same of a table of transitions. */
export function arrowsOf(table: Readonly<Record<string, Readonly<Partial<Record<string, string>>>>>): readonly Arrow[] {
  return Object.entries(table)
    .flatMap(([from, row]) => Object.entries(row).map(([event, to = ""]) => arrow(from, event, to)))
    .toSorted();
}

interface Drawn {
  readonly from: string;
  readonly event: string;
  readonly to: string;
}

function chainOf(line: string): readonly Drawn[] {
  const parts = line.split(/ --([a-z, -]+?)--> /).map((part) => part.split(",").map((word) => word.trim()));
  const drawn: Drawn[] = [];
  for (let at = 0; at + 2 < parts.length; at += 2)
    for (const from of parts[at] ?? [])
      for (const event of parts[at + 1] ?? []) for (const to of parts[at + 2] ?? []) drawn.push({ from, event, to });
  return drawn;
}

function arrow(from: string, event: string, to: string): Arrow {
  return `${from} --${event}--> ${to}`;
}
