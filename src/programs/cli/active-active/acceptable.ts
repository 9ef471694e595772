import { activeActiveSpec } from "../../../core/api/active-active.ts";
import { Fault } from "#kit/base/fault";
import { visibleLine } from "#kit/base/visible";
import type { StoreEnterpriseActiveActiveDatabase } from "../../../core/api/kinds.ts";
import { ACTIVE_ACTIVE_ADVICE, ACTIVE_ACTIVE_RULES } from "../../../core/planner/admission/active-active.ts";
import { forbiddenValue, sentence, type Objection } from "../../../core/planner/admission/objection.ts";
import { review } from "../../../core/planner/admission/review.ts";
import type { EditResult, WrittenSpec } from "../../../core/planner/active-active/edits.ts";
import { latestRelease } from "../../../core/releases/catalogue/find.ts";
import { existingOf, referencesIn, type NamespaceObjects } from "../../../mechanisms/observe/kubernetes/references.ts";
import type { Asking } from "../console/context.ts";
import { faults } from "../faults.ts";

interface Write {
  readonly name: string;
  readonly namespace: string;
  readonly spec: WrittenSpec;
  /** Undefined of a new object. */
  readonly before: WrittenSpec | undefined;
}

/** What an edit comes to; CLI_REFUSED with the objection when it is refused. */
export function requireAccepted<T>(result: EditResult<T>): T {
  if ("objection" in result) throw refusedFault([result.objection]);
  return result.value;
}

/**
 * The spec as it may be written: what admission asks is asked here too, since its webhook need not be installed. Prints warnings;
 * CLI_REFUSED names each field that is wrong, and what is right.
 */
export function acceptable(
  objects: NamespaceObjects,
  { name, namespace, spec, before }: Write,
  { print }: Pick<Asking, "print">,
): StoreEnterpriseActiveActiveDatabase["spec"] {
  const parsed = activeActiveSpec.safeParse(spec);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `spec.${path.join(".")}: ${message}`);
    throw new Fault(faults.refused, issues.join(" | "));
  }
  const references = referencesIn(objects, latestRelease(), { kind: "activeActives", name });
  const linked = objects.activeActives.find(({ metadata }) => metadata.name === name)?.status?.linkedRedbs?.[0];
  const existing = existingOf(objects.databases.find(({ metadata }) => metadata.name === linked)?.status);
  const databases = references.databases.filter((one) => one.name !== linked);
  const facts = { name, existing, references: { ...references, databases } };
  const old = before && activeActiveSpec.safeParse(before).data;
  const { denials, warnings } = review(
    ACTIVE_ACTIVE_RULES,
    ACTIVE_ACTIVE_ADVICE,
    { ...facts, spec: parsed.data, before: old },
    old && { ...facts, spec: old, before: undefined },
  );
  for (const warning of warnings) print(`warning: ${visibleLine(warning)}\n`);
  const missing = before === undefined ? ownSiteMissing(objects, parsed.data, namespace) : [];
  if (denials.length + missing.length > 0) throw refusedFault([...denials, ...missing]);
  return spec as StoreEnterpriseActiveActiveDatabase["spec"]; // as the schema has found
}

/** A database is made at a site of its own. */
function ownSiteMissing(
  objects: NamespaceObjects,
  spec: Pick<WrittenSpec, "participatingClusters">,
  namespace: string,
): readonly Objection[] {
  const own = ownSite(objects, spec, namespace);
  if (spec.participatingClusters.some(({ name }) => name === own)) return [];
  const why = "none of the sites is the cluster of this namespace";
  const remedy =
    own === undefined
      ? "make a StoreEnterpriseRemoteCluster whose recName and recNamespace are those of this cluster, and name it"
      : `name "${own}" too, or make the database at another site`;
  return [forbiddenValue("spec.participatingClusters", why, remedy)];
}

function refusedFault(objections: readonly Objection[]): Fault {
  return new Fault(faults.refused, objections.map(sentence).join(" | "));
}

/** The remote cluster that stands for the cluster of the namespace, one that takes part before others. */
export function ownSite(
  { clusters, remoteClusters }: Pick<NamespaceObjects, "clusters" | "remoteClusters">,
  spec: Pick<WrittenSpec, "participatingClusters">,
  namespace: string,
): string | undefined {
  const own = remoteClusters
    .filter(({ spec: { recName, recNamespace } }) => {
      return recNamespace === namespace && clusters.some(({ metadata }) => metadata.name === recName);
    })
    .map(({ metadata }) => metadata.name);
  return own.find((name) => spec.participatingClusters.some((site) => site.name === name)) ?? own[0];
}
