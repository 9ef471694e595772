import { isSameLogin, type ClusterAccess, type Login } from "../../api/cluster-access.ts";
import { annotate, getObjects, patchCluster } from "../../api/kubectl.ts";
import { ROTATE_PASSWORD_ANNOTATION } from "../../api/names.ts";
import { warn } from "../findings/finding.ts";
import { act, REST, waitFor, type Step } from "../findings/step.ts";

/** What there is to know about the password of a cluster. */
export interface AccessView {
  readonly cluster: string;
  /** What the nodes have mounted; undefined before the first. */
  readonly access: ClusterAccess | undefined;
  readonly secret: {
    readonly name: string;
    /** Undefined while the Secret is missing or lacks a key. */
    readonly login: Login | undefined;
    /** `spec.clusterCredentialSecretName` names it: the operator does not write into it. */
    readonly isUsers: boolean;
  };
  /** The last value with which a user asked for another password. */
  readonly asked: string | undefined;
  readonly nodes: NodesView;
  /** A password that nothing has seen yet. */
  readonly fresh: string;
  readonly now: Date;
  readonly overlapMs: number;
}

/** What the nodes say about the password of their cluster. */
export type NodesView =
  /** All nodes can change it. `behind` names the nodes that have not read the last change, and why; it is empty when all have. */
  | { readonly kind: "able"; readonly behind: readonly string[] }
  /** Some nodes cannot: they accept the password of the Secret as soon as they see it. */
  | { readonly kind: "unable"; readonly why: string }
  | { readonly kind: "silent"; readonly why: string };

/** What is done about the password of a cluster. */
export type AccessAct =
  /** What the nodes shall have mounted. `event` is the name of one that says to users why. */
  | { readonly kind: "write-access"; readonly access: ClusterAccess; readonly event: AccessEvent | undefined }
  /** What the Secret of the cluster shall say. */
  | { readonly kind: "write-secret"; readonly login: Login };

type AccessEvent = "PasswordRotationBegan" | "PasswordRotated" | "FormerPasswordEnded";
type AccessStep = Step<AccessAct>;

/**
 * The next step of a change of the password. Each node accepts at each moment every password that a caller may use: all nodes get the next
 * password first, then the callers get it, and nodes accept the former one until the overlap ends.
 */
export function nextAccessStep(view: AccessView): AccessStep {
  const { access, secret } = view;
  if (access === undefined) return secret.login === undefined ? REST : first(secret.login);
  const written = writtenByUser(view, access);
  if (view.nodes.kind === "unable" && written !== undefined) return useNext(view, access, written);
  if (access.next !== undefined) return publishNext(view, access, access.next, written);
  if (written !== undefined) return offer(access, { ...written, by: "secret" });
  if (view.asked !== undefined && view.asked !== access.answered) return offerAskedPassword(view, access, view.asked);
  return endOverlap(view, access);
}

type Next = NonNullable<ClusterAccess["next"]>;

function first(current: Login): AccessStep {
  return write({ revision: 1, current, former: [] }, "the Secret says the first password of the cluster");
}

function write(access: ClusterAccess, why: string, event?: AccessEvent): AccessStep {
  return act({ kind: "write-access", access, event }, why);
}

/** The login that a user wrote into the Secret; undefined when this login is in use or offered already. */
function writtenByUser({ secret: { login } }: AccessView, { current, next }: ClusterAccess): Login | undefined {
  if (login === undefined || isSameLogin(login, current)) return undefined;
  return next !== undefined && isSameLogin(login, next) ? undefined : login;
}

function offerAskedPassword(view: AccessView, access: ClusterAccess, asked: string): AccessStep {
  const { secret, nodes, fresh, cluster } = view;
  if (secret.isUsers) {
    const why = `${ROTATE_PASSWORD_ANNOTATION}=${asked} asks for another password, and the Secret ${secret.name} is a user's`;
    const undo = annotate("rec", cluster, `${ROTATE_PASSWORD_ANNOTATION}-`);
    return waitFor(warn("RotationWaits", why, `change the password in the Secret ${secret.name}, then: ${undo}`));
  }
  if (nodes.kind !== "able") return waitForNodes("another password is asked for", nodes.why);
  const { username } = access.current;
  return offer({ ...access, answered: asked }, { username, password: fresh, by: "operator" });
}

function offer(access: ClusterAccess, next: Next): AccessStep {
  const message = "the nodes are given the next password of the cluster; the present one counts besides";
  return write(later({ ...access, next }), message, "PasswordRotationBegan");
}

function publishNext(view: AccessView, access: ClusterAccess, next: Next, written: Login | undefined): AccessStep {
  const { secret, nodes } = view;
  if (written !== undefined) return offer(access, { ...written, by: "secret" });
  if (isTakenBack(secret, access, next)) return write(later(without(access)), "the next password is taken back");
  if (nodes.kind !== "able") return waitForNodes("the next password is not in use yet", nodes.why);
  if (nodes.behind.length > 0) return waitForNodes("the next password is not in use yet", nodes.behind.join("; "));
  const isPublished = next.by === "secret" || (secret.login !== undefined && isSameLogin(secret.login, next));
  if (!isPublished) return act({ kind: "write-secret", login: loginOf(next) }, "all nodes accept the next password");
  return useNext(view, access, next);
}

/** The Secret has the present password again, or has become a user's, which the operator does not write. */
function isTakenBack({ login, isUsers }: AccessView["secret"], { current }: ClusterAccess, { by }: Next): boolean {
  return by === "operator" ? isUsers : login !== undefined && isSameLogin(login, current);
}

/** Callers use the next password from now on. */
function useNext({ now }: AccessView, access: ClusterAccess, next: Login): AccessStep {
  const since = now.toISOString();
  const former = [...access.former, { ...access.current, since }];
  const others = former.filter((login) => !isSameLogin(login, next));
  const message = "the operator, the nodes and the services rigger use the new password of the cluster";
  const used = { ...without(access), current: loginOf(next), since, former: others };
  return write(later(used), message, "PasswordRotated");
}

function endOverlap({ nodes, now, overlapMs, cluster }: AccessView, access: ClusterAccess): AccessStep {
  const endOf = ({ since }: { readonly since: string }): number => Date.parse(since) + overlapMs;
  const last = access.former.at(-1);
  if (last === undefined) return REST;
  const left = access.former.filter((login) => endOf(login) > now.getTime());
  if (left.length === access.former.length) {
    const until = new Date(endOf(last)).toISOString();
    const evidence = `the former password of the cluster is accepted until ${until}, for callers that have a copy of it`;
    const endNow = patchCluster(cluster, { rotationOverlapSeconds: 0 });
    return waitFor(warn("FormerPasswordAccepted", evidence, `give them the new one; to end it at once: ${endNow}`));
  }
  const why = nodes.kind === "able" ? nodes.behind.join("; ") : nodes.why;
  if (why !== "") return waitForNodes("the former password is still accepted", why);
  const message = "the former password of the cluster is accepted no more";
  return write(later({ ...access, former: left }), message, "FormerPasswordEnded");
}

function waitForNodes(what: string, why: string): AccessStep {
  const remedy = `bring the nodes back, at the operator's release: ${getObjects("pods")}`;
  return waitFor(warn("RotationWaits", `${what}: ${why}`, remedy));
}

function loginOf({ username, password }: Login): Login {
  return { username, password };
}

function without({ next: _next, ...access }: ClusterAccess): ClusterAccess {
  return access;
}

function later(access: ClusterAccess): ClusterAccess {
  return { ...access, revision: access.revision + 1 };
}
