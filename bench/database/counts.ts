/** Whole numbers from the command line, in this order, each with what it counts and its default; ends the process with 2 on anything else. */
export function countsOf(wanted: readonly (readonly [what: string, fallback: number])[]): readonly number[] {
  const given = process.argv.slice(2);
  const counts = wanted.map(([, fallback], at) => Number(given[at] ?? fallback));
  const wrong = given.length > wanted.length || counts.some((count) => !Number.isInteger(count) || count < 1);
  if (wrong) {
    const names = wanted.map(([what, fallback]) => `[${what}: 1 or more, ${fallback} when absent]`).join(" ");
    process.stderr.write(`not understood: ${given.join(" ")}; takes ${names}\n`);
    process.exit(2);
  }
  return counts;
}
