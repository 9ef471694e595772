/** One sentence on the first option that is no whole number from 1; undefined when each is one. */
export function notWhole(options: Readonly<Record<string, string>>): string | undefined {
  const wrong = Object.entries(options).find(([, text]) => !/^[1-9][0-9]{0,14}$/.test(text));
  return wrong && `--${wrong[0]} is a whole number from 1, not "${wrong[1]}"`;
}
