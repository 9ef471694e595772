import { oneAtATime } from "#kit/base/in-turn";

/**
 * Asks one question after the other; at most `most` wait for their turn. A further one is not asked, and its answer is undefined: whoever sends
 * many reviews costs the one who is asked no more than this.
 */
export function fewWaiting<Asked extends readonly unknown[], Answer>(
  most: number,
  ask: (...asked: Asked) => Promise<Answer | undefined>,
): (...asked: Asked) => Promise<Answer | undefined> {
  const inTurn = oneAtATime();
  let waiting = 0;
  return async (...asked) => {
    if (waiting >= most) return undefined;
    waiting += 1;
    return inTurn(() => ask(...asked)).finally(() => {
      waiting -= 1;
    });
  };
}
