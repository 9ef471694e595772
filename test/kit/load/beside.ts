/**
 * Lets clients go on while `act` lasts; what each of them has found. What fails first is the reason, and is thrown once all have ended: a failure ends
 * the others too.
 */
export async function beside<T>(
  act: () => Promise<void>,
  play: (goesOn: () => boolean) => readonly Promise<T>[],
): Promise<readonly T[]> {
  let isOver = false;
  const failures: unknown[] = [];
  const end = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      failures.push(error);
    }
    isOver = true;
  };
  const found: T[] = [];
  const playing = play(() => !isOver).map((one, at) => end(one.then((value) => void (found[at] = value))));
  await Promise.all([end(act()), ...playing]);
  if (failures.length > 0) throw failures[0];
  return found;
}
