import { API_GROUP, GIVEN_ANNOTATION, LABELS } from "../../api/names.ts";

/** What the metadata of an object says of whose it is. */
export interface Marks {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly OwnerMark[] | undefined;
}

interface OwnerMark {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Whether an object is marked as what belongs to the owner with this uid: by an owner reference, or by an annotation that gives it. */
export function isMarkedAs({ ownerReferences = [], annotations = {} }: Marks, ownerUid: string): boolean {
  return ownerReferences.some(({ uid }) => uid === ownerUid) || annotations[GIVEN_ANNOTATION] === ownerUid;
}

/** Which object of the product an object belongs to by its marks, for a sentence; undefined when no mark says it. */
export function holderOf({ ownerReferences = [], labels = {} }: Marks): string | undefined {
  const owner = ownerReferences.find(({ apiVersion }) => apiVersion.startsWith(`${API_GROUP}/`));
  if (owner !== undefined) return `${owner.kind} ${owner.name}`;
  const { [LABELS.cluster]: cluster, [LABELS.database]: database } = labels;
  if (cluster !== undefined) return `StoreEnterpriseCluster ${cluster}`;
  return database === undefined ? undefined : `StoreEnterpriseDatabase ${database}`;
}

/** Names the holder, unless that is `owner`, for instance `StoreEnterpriseCluster rec`. */
export function holderBesides(marks: Marks, owner: string): string | undefined {
  const holder = holderOf(marks);
  return holder === owner ? undefined : holder;
}

/** Whether an annotation with a list, its members between commas, has one of `members`. */
export function lists(
  { annotations = {} }: Pick<Marks, "annotations">,
  annotation: string,
  ...members: readonly string[]
): boolean {
  return splitNames(annotations[annotation]).some((one) => members.includes(one));
}

/** The value of an annotation with a list, once it has `member` too. */
export function listedToo(
  { annotations = {} }: Pick<Marks, "annotations">,
  annotation: string,
  member: string,
): string {
  return [...new Set([...splitNames(annotations[annotation]), member])].join(",");
}

/** The members of a list between commas. */
export function splitNames(text = ""): readonly string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
