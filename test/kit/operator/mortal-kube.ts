import type { Kube, ResourceType } from "#kit/kube/kube";

/** The way to the API of a process that dies. */
export interface MortalKube {
  readonly kube: Kube;
  hasDied(): boolean;
}

/** Which writes count, by kind and name of the object. */
export type IsCounted = (type: ResourceType<unknown>, name: string) => boolean;

/**
 * The same port until `writes` of the counted writes are done: the next one never reaches the server, and no request after it does. The
 * Lease goes on, so that another process need not wait for its end.
 */
export function mortalKube(kube: Kube, writes: number, isCounted: IsCounted): MortalKube {
  let left = writes;
  let isDead = false;
  const alive = ({ plural }: ResourceType<unknown>): void => {
    if (isDead && plural !== "leases") throw new Error("the process has died");
  };
  const spend = (type: ResourceType<unknown>, name: string): void => {
    if (isCounted(type, name)) {
      isDead ||= left === 0;
      left -= 1;
    }
    alive(type);
  };
  const mortal: Kube = {
    ...kube,
    get: async (type, ref, how) => {
      alive(type);
      return kube.get(type, ref, how);
    },
    list: async (type, where) => {
      alive(type);
      return kube.list(type, where);
    },
    create: async (type, object, how) => {
      spend(type, object.metadata.name);
      return kube.create(type, object, how);
    },
    update: async (type, object, how) => {
      spend(type, object.metadata.name);
      return kube.update(type, object, how);
    },
    patch: async (type, ref, patch, how) => {
      spend(type, ref.name);
      return kube.patch(type, ref, patch, how);
    },
    apply: async (type, object, how) => {
      spend(type, object.metadata.name);
      return kube.apply(type, object, how);
    },
    delete: async (type, ref, how) => {
      spend(type, ref.name);
      return kube.delete(type, ref, how);
    },
  };
  return { kube: mortal, hasDied: () => isDead };
}
