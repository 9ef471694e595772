import { randomBytes } from "node:crypto";
import type { Secret } from "kubernetes-types/core/v1.js";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { ADMISSION_SECRET, ADMISSION_SERVICE, APP_LABEL, LABELS } from "../../../core/api/names.ts";
import type { Kube, Ref, Stored, Wanted } from "#kit/kube/kube";
import { createAuthority, expiryOf, type KeyPair } from "#kit/pki/authority";
import { purposeOf } from "#kit/pki/purpose";
import { ownDeployment } from "../objects/own-deployment.ts";
import { readOwn } from "../secrets/own.ts";
import { secretText } from "../secrets/secret-text.ts";
import { createOwn, writeOwn } from "../secrets/write.ts";

export interface AdmissionSecretDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
}

const DAYS = 3650;
/** A pair that is valid for less than this is replaced, in milliseconds. */
const RENEW_BEFORE_MS = 90 * 86_400_000;

/**
 * Keeps the secret `admission-tls` (§2.1: Opaque, `cert` and `privateKey`): an authority that signs what the webhook
 * presents, so that certificates are renewed without the webhook's callers noticing. A secret that is deleted comes back as
 * it was; one that cannot be used, or ends soon, is replaced. The answer is `cert`, PEM.
 */
export function admissionSecretReconciler(deps: AdmissionSecretDeps): () => Promise<string> {
  const ref = { name: ADMISSION_SECRET, namespace: deps.namespace };
  let held: KeyPair | undefined;
  return async () => {
    const found = await readOwn(deps.kube, "", ref);
    if (found !== undefined) {
      const pair = pairOf(found);
      const why = objectionTo(pair, deps);
      if (why === undefined) {
        held = pair;
        return pair.certificate;
      }
      deps.log.warn("the secret admission-tls is replaced", { why });
    }
    const usable = held !== undefined && objectionTo(held, deps) === undefined ? held : newPair(deps);
    const texts = { cert: usable.certificate, privateKey: usable.key };
    await (found === undefined
      ? createOwn(deps.kube, await metadataOf(ref, deps), texts)
      : writeOwn(deps.kube, found, { ...clearedItems(found), ...texts }));
    held = usable;
    return usable.certificate;
  };
}

async function metadataOf(
  ref: Required<Ref>,
  { kube, namespace, log }: AdmissionSecretDeps,
): Promise<Wanted<Secret>["metadata"]> {
  const owner = await ownDeployment(kube, namespace, log);
  return { ...ref, labels: { [LABELS.app]: APP_LABEL }, ...(owner && { ownerReferences: [owner] }) };
}

/** Why a pair is not to be used (any longer); undefined when it is. */
function objectionTo(pair: KeyPair, { clock, namespace }: AdmissionSecretDeps): string | undefined {
  const purpose = purposeOf(pair, `${ADMISSION_SERVICE}.${namespace}.svc`, clock.now());
  if (purpose.kind === "none") return purpose.why;
  const expiry = expiryOf(pair.certificate);
  const endsSoon = expiry.getTime() - clock.now().getTime() < RENEW_BEFORE_MS;
  // a certificate of the user's is renewed by the user
  return endsSoon && purpose.kind === "authority" ? `it expires on ${expiry.toISOString()}` : undefined;
}

/** Each has a name of its own, so that chains of successors are told apart. */
function newPair({ clock }: AdmissionSecretDeps): KeyPair {
  const commonName = `store-enterprise admission ${randomBytes(4).toString("hex")}`;
  return createAuthority({ commonName, now: clock.now(), days: DAYS, canBeSucceeded: true });
}

function pairOf(secret: Stored<Secret>): KeyPair {
  return { certificate: secretText(secret, "cert"), key: secretText(secret, "privateKey") };
}

/** Exactly two items stay. */
function clearedItems({ data = {} }: Stored<Secret>): Record<string, undefined> {
  return Object.fromEntries(Object.keys(data).map((key) => [key, undefined]));
}
