import type { ActiveActiveSpec } from "../../api/active-active.ts";
import { globalConfiguration } from "../../api/database-spec.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { compareVersionText } from "#kit/base/version";
import { sharedOf, sharedText, askedVersion } from "./shared.ts";
import { parseJson } from "#kit/base/json";

/** What an object says beside what the participants know. */
export type SpecComparison =
  /** The object says what is known. */
  | { readonly kind: "same" }
  /** The object was edited: all participants need the edit. */
  | { readonly kind: "edited"; readonly record: ActiveActiveRecord }
  /** Others know something newer: the object is to say it. */
  | { readonly kind: "outdated"; readonly isVersionEdited: boolean };

/** The first record of an object that no other participant has; `version` is taken when it names none. */
export function firstRecord(
  object: { readonly uid: string; readonly name: string; readonly spec: ActiveActiveSpec },
  author: string,
  version: string,
): ActiveActiveRecord {
  return {
    guid: object.uid,
    name: object.name,
    version: askedVersion(object.spec) ?? version,
    ...sharedOf(object.spec),
    edit: { count: 1, author },
  };
}

/**
 * Compares an object with what is known. `agreed` is the text of `agreementText` when both were last the same: only what
 * differs from it was edited here. A version below the known one is never an edit, since versions only rise.
 */
export function compareSpec(
  spec: ActiveActiveSpec,
  agreed: string | undefined,
  known: ActiveActiveRecord,
  author: string,
): SpecComparison {
  const [here, there] = [sharedText(sharedOf(spec)), sharedText(known)];
  const version = askedVersion(spec);
  const last = parseAgreement(agreed);
  const isEdited = here !== there && here !== last?.shared;
  const isRaised = version !== undefined && (compareVersionText(version, known.version) ?? 0) > 0;
  if (isEdited || isRaised) {
    const edited = isEdited ? { ...overlaid(spec, known), edit: { count: known.edit.count + 1, author } } : {};
    return { kind: "edited", record: { ...known, ...edited, version: isRaised ? version : known.version } };
  }
  if (here === there && version === known.version) return { kind: "same" };
  return { kind: "outdated", isVersionEdited: version !== undefined && version !== last?.version };
}

/** The text that is kept with an object to remember what is known. */
export function agreementText(record: ActiveActiveRecord): string {
  return JSON.stringify({ version: record.version, shared: sharedText(record) });
}

/** With the fields that a newer release wrote and this one does not know. */
function overlaid(
  spec: ActiveActiveSpec,
  known: ActiveActiveRecord,
): Pick<ActiveActiveRecord, "participants" | "configuration"> {
  const { participants, configuration } = sharedOf(spec);
  const foreign = Object.entries(known.configuration).filter(([field]) => !(field in globalConfiguration.shape));
  return { participants, configuration: { ...Object.fromEntries(foreign), ...configuration } };
}

interface Agreement {
  readonly version: string;
  readonly shared: string;
}

/** Undefined when there is none, or it has other content: then everything counts as edited. */
function parseAgreement(text: string | undefined): Agreement | undefined {
  const value = parseJson(text ?? "null"); // what is not JSON is not ours
  return isAgreement(value) ? value : undefined;
}

function isAgreement(value: unknown): value is Agreement {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    typeof value.version === "string" &&
    "shared" in value &&
    typeof value.shared === "string"
  );
}
