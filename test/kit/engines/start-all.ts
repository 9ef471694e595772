/** Starts all of these; when one cannot be started, ends the others and fails with its error. */
export async function startAll<T extends readonly AsyncDisposable[]>(
  ...starts: { readonly [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const outcomes = await Promise.allSettled(starts);
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure === undefined) return await Promise.all(starts);
  for (const outcome of outcomes) if (outcome.status === "fulfilled") await outcome.value[Symbol.asyncDispose]();
  throw failure.reason;
}
