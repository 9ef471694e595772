import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import { untilGranted, type OwnSecretsDeps } from "./granted.ts";

/** Hashes of the passwords of users; each in a Secret of its own, which is never changed. */
export interface UserPasswords {
  /** Undefined when the Secret is gone. */
  hashIn(secret: string): Promise<string | undefined>;
  /** Keeps a hash in a Secret of this number, which no other had; the answer is its name. */
  keep(hash: string, number: number): Promise<string>;
  remove(secret: string): Promise<void>;
}

/** The passwords of the users of `cluster`. */
export function userPasswords({ kube, clock, cluster, namespace }: OwnSecretsDeps): UserPasswords {
  const known = new Map<string, string>();
  return {
    async hashIn(name) {
      const held = known.get(name);
      if (held !== undefined) return held;
      const encoded = (await kube.get(Secrets, { name, namespace }))?.data?.hash;
      if (encoded === undefined) return undefined;
      const hash = Buffer.from(encoded, "base64").toString("utf8");
      known.set(name, hash);
      return hash;
    },
    async keep(hash, number) {
      const name = clusterNames.userSecret(cluster, String(number));
      const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster };
      const data = { hash: Buffer.from(hash, "utf8").toString("base64") };
      await kube.create(Secrets, { metadata: { name, namespace, labels }, type: "Opaque", data });
      await untilGranted({ kube, clock }, { name, namespace });
      return name;
    },
    async remove(name) {
      known.delete(name);
      await kube.delete(Secrets, { name, namespace });
    },
  };
}
