import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault, isFault } from "../../../core/base/fault.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import { faults as kubeFaults } from "../../../ports/kube/faults.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { faults } from "../faults.ts";

/** The passwords of databases; each in a Secret of its own, key `password`, empty when clients need none. */
export interface DatabasePasswords {
  /** Read again when the record has changed. */
  of(record: Pick<DatabaseRecord, "uid" | "lastChangedTime">): Promise<string>;
  set(uid: number, password: string): Promise<void>;
  remove(uid: number): Promise<void>;
}

/** The passwords of the databases of `cluster`. */
export function databasePasswords(kube: Kube, cluster: string, namespace: string): DatabasePasswords {
  const known = new Map<number, { readonly as: string; readonly password: string }>();
  return {
    async of({ uid, lastChangedTime }) {
      const found = known.get(uid);
      if (found?.as === lastChangedTime) return found.password;
      const secret = await kube.get(Secrets, { name: clusterNames.databaseSecret(cluster, uid), namespace });
      const encoded = secret?.data?.password;
      if (encoded === undefined) throw missing(clusterNames.databaseSecret(cluster, uid));
      const password = Buffer.from(encoded, "base64").toString("utf8");
      known.set(uid, { as: lastChangedTime, password });
      return password;
    },
    async set(uid, password) {
      const name = clusterNames.databaseSecret(cluster, uid);
      const data = { password: Buffer.from(password, "utf8").toString("base64") };
      const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.database]: String(uid) };
      known.delete(uid);
      try {
        await kube.create(Secrets, { metadata: { name, namespace, labels }, type: "Opaque", data });
      } catch (error) {
        if (!isFault(error, kubeFaults.alreadyExists)) throw error;
        await kube.patch(Secrets, { name, namespace }, { type: "merge", body: { data } });
      }
    },
    async remove(uid) {
      known.delete(uid);
      await kube.delete(Secrets, { name: clusterNames.databaseSecret(cluster, uid), namespace });
    },
  };
}

function missing(name: string): Fault {
  return new Fault(faults.noPassword, `secret ${name} has no key password`, { name });
}
