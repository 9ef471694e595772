import { unagreed, type Cell } from "./cell.ts";
import { cellOf, type KeyState } from "./key-state.ts";
import { countedCell, entries, knownElements, knownTypes, typeOf } from "./key-view.ts";
import { covers, coversAll, type VersionVector } from "./version-vector.ts";

/** The key without what all sites have applied; undefined when nothing else is known of it. */
export function unagreedKey(state: KeyState, agreed: VersionVector): KeyState | undefined {
  if (coversAll(agreed, state.touched)) return undefined;
  const type = typeOf(state);
  const isAgreed =
    coversAll(agreed, state.clears) &&
    entries(state.latest).every(([other, { dot }]) => other === type || covers(agreed, dot));
  // until then an element that is not named is empty
  if (!isAgreed) return state;
  const cells = (type === undefined ? knownTypes(state) : [type]).map((of) => {
    const left = knownElements(state, of).flatMap((element): readonly (readonly [string, Cell])[] => {
      const rest = unagreed(countedCell(state, of, cellOf(state, of, element)), agreed);
      return rest === undefined ? [] : [[element, rest]];
    });
    return [of, new Map(left)] as const;
  });
  const stamp = type === undefined ? undefined : state.latest[type];
  const areTimesAgreed = state.expiries.every(({ dot }) => covers(agreed, dot));
  return {
    clears: {},
    cells: Object.fromEntries(cells.filter(([, elements]) => elements.size > 0)),
    latest: type === undefined || stamp === undefined ? {} : { [type]: stamp },
    expiries: areTimesAgreed ? [] : state.expiries,
    baseExpiry: areTimesAgreed,
    touched: state.touched,
  };
}
