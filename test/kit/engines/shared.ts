import { after, test } from "node:test";

/**
 * Tests of one file that share a resource: it is started by the first of them, and disposed when the last has ended,
 * failed or not. The tests run in order.
 */
export function sharing<T extends AsyncDisposable>(start: () => Promise<T>) {
  let started: Promise<T> | undefined;
  after(async () => {
    const resource = await started?.catch(() => undefined); // the tests have failed with this error
    await resource?.[Symbol.asyncDispose]();
  });
  return (name: string, body: (resource: T) => Promise<void>): void => {
    void test(name, async () => {
      started ??= start();
      await body(await started);
    });
  };
}
