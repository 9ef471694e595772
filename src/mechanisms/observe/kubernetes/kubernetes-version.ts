import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { Distribution } from "../../../core/releases/catalogue/distribution.ts";
import type { Kube } from "#kit/kube/kube";

/** How long an answer is believed, in milliseconds: API servers are upgraded too. */
const BELIEVED_MS = 60_000;
/** When an API server that did not say its version is asked again: an upgrade waits for the answer. */
const SILENT_MS = 2_000;

/** The group that the API of OpenShift has, and no other. */
const OPENSHIFT_GROUP = "config.openshift.io";

/**
 * Asks the API server for its minor, for instance "1.33", and for its distribution, at most once a minute; undefined while it does
 * not say both.
 */
export function kubernetesVersion(kube: Kube, clock: Clock, log: Log): () => Promise<Distribution | undefined> {
  let known: { readonly answer: Distribution | undefined; readonly at: number } | undefined;
  return async () => {
    const now = clock.uptimeMs();
    const believedMs = known?.answer === undefined ? SILENT_MS : BELIEVED_MS;
    if (known === undefined || now - known.at >= believedMs) known = { answer: await ask(kube, log), at: now };
    return known.answer;
  };
}

async function ask(kube: Kube, log: Log): Promise<Distribution | undefined> {
  try {
    const [version, groups] = await Promise.all([kube.raw("GET", "/version"), kube.raw("GET", "/apis")]);
    const { major, minor }: { major?: string; minor?: string } = JSON.parse(version);
    const { groups: named }: { groups: readonly { readonly name?: string }[] } = JSON.parse(groups);
    const isOpenShift = named.some(({ name }) => name === OPENSHIFT_GROUP);
    const digits = /^\d+/.exec(minor ?? "")?.[0];
    return major === undefined || digits === undefined ? undefined : { minor: `${major}.${digits}`, isOpenShift };
  } catch (error) {
    log.warn("the API server did not tell its version", { reason: messageOf(error) });
    return undefined;
  }
}
