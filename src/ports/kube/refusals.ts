import { isFault } from "../../core/base/fault.ts";
import { faults } from "./faults.ts";
import type { Kube } from "./kube.ts";

/** The same way to the API, which tells `refused` of each request that the server forbids. */
export function tellingRefusals(kube: Kube, refused: () => void): Kube {
  const told = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (isFault(error, faults.forbidden)) refused();
      throw error;
    }
  };
  return {
    get: (type, ref) => told(kube.get(type, ref)),
    list: (type, options) => told(kube.list(type, options)),
    watch: async function* (type, options) {
      const events = kube.watch(type, options)[Symbol.asyncIterator]();
      try {
        for (let next = await told(events.next()); next.done !== true; next = await told(events.next()))
          yield next.value;
      } finally {
        await events.return?.();
      }
    },
    create: (type, object, options) => told(kube.create(type, object, options)),
    update: (type, object, options) => told(kube.update(type, object, options)),
    patch: (type, ref, patch, options) => told(kube.patch(type, ref, patch, options)),
    apply: (type, object, options) => told(kube.apply(type, object, options)),
    delete: (type, ref, options) => told(kube.delete(type, ref, options)),
    raw: (method, path, body) => told(kube.raw(method, path, body)),
  };
}
