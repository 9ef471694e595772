import { isFault, type Fault } from "../base/fault.ts";
import { faults } from "./faults.ts";
import type { Kube } from "./kube.ts";

/** A way to the API that calls `onForbidden` for each request that the server forbids; what `onForbidden` throws takes the place of the refusal. */
export function reportingForbidden(kube: Kube, onForbidden: (refusal: Fault) => void): Kube {
  const checked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (isFault(error, faults.forbidden)) onForbidden(error);
      throw error;
    }
  };
  return {
    get: (type, ref) => checked(kube.get(type, ref)),
    list: (type, options) => checked(kube.list(type, options)),
    watch: async function* (type, options) {
      const events = kube.watch(type, options)[Symbol.asyncIterator]();
      try {
        for (let next = await checked(events.next()); next.done !== true; next = await checked(events.next()))
          yield next.value;
      } finally {
        await events.return?.();
      }
    },
    create: (type, object, options) => checked(kube.create(type, object, options)),
    update: (type, object, options) => checked(kube.update(type, object, options)),
    patch: (type, ref, patch, options) => checked(kube.patch(type, ref, patch, options)),
    apply: (type, object, options) => checked(kube.apply(type, object, options)),
    delete: (type, ref, options) => checked(kube.delete(type, ref, options)),
    raw: (method, path, body) => checked(kube.raw(method, path, body)),
  };
}
