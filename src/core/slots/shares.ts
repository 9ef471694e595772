/**
 * What each of some shards gets of the share of those in whose place they come: by what it asks for, and where one would get less than `least`, that much and the
 * rest by what they ask for. All are counted in slots. Undefined when the share of those before does not suffice.
 */
export function sharesOf(
  asked: readonly number[],
  { whole, least }: { readonly whole: number; readonly least: number },
): readonly number[] | undefined {
  const sum = asked.reduce((all, one) => all + one, 0);
  const byAsked = parts(asked, whole, sum);
  if (byAsked.every((one) => one >= least)) return byAsked;
  const rest = whole - least * asked.length;
  return rest < 0 ? undefined : parts(asked, rest, sum).map((one) => one + least);
}

/** Whole numbers that together are the whole. */
function parts(asked: readonly number[], whole: number, sum: number): readonly number[] {
  let before = 0;
  let given = 0;
  return asked.map((one) => {
    before += one;
    const part = Math.round((whole * before) / sum) - given;
    given += part;
    return part;
  });
}
