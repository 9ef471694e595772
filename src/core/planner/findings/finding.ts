import { listPermissions } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { visibleLine } from "#kit/base/visible";

/** A finding with one of the ids `Id`. The functions below make every finding; a test holds that each id is known. */
export type FindingOf<Id extends string> = Finding & { readonly id: Id };

/** Stops the upgrade until a user acts. */
export function block<Id extends string>(id: Id, evidence: string, remedy: string): FindingOf<Id> {
  return makeFinding(id, "block", evidence, remedy);
}

/** Holds the next step up, until the cluster has settled or a user does something small. */
export function wait<Id extends string>(id: Id, evidence: string, remedy: string): FindingOf<Id> {
  return makeFinding(id, "wait", evidence, remedy);
}

/** Happens to data or clients of users, and needs their consent. */
export function consent<Id extends string>(id: Id, evidence: string, remedy: string): FindingOf<Id> {
  return makeFinding(id, "consent", evidence, remedy);
}

/** Is worth a note and stops nothing. */
export function warn<Id extends string>(id: Id, evidence: string, remedy: string): FindingOf<Id> {
  return makeFinding(id, "warn", evidence, remedy);
}

/** Holds the next step up until it ends unasked, or as its evidence says: it has no remedy, and conditions alone name it. */
export function pause<Id extends string>(id: Id, evidence: string): Finding & { readonly id: Id } {
  return makeFinding(id, "wait", evidence, "");
}

/** It stands in no list of findings. */
export function isPause({ remedy }: Finding): boolean {
  return remedy === "";
}

/** The same where it stops nothing. */
export function asWarning(finding: Finding): Finding {
  return { ...finding, severity: "warn" };
}

/** Could not be checked. */
export function notKnown<Id extends string>(id: Id, evidence: string): FindingOf<Id> {
  const remedy = `give the caller permission to read it (${listPermissions()}), or check it by hand`;
  return makeFinding(id, "unknown", evidence, remedy);
}

/** Texts of specs, nodes and sites are in it: none begins a line of its own, in a status, an event or a report. */
function makeFinding<Id extends string>(
  id: Id,
  severity: Finding["severity"],
  evidence: string,
  remedy: string,
): Finding & { readonly id: Id } {
  return { id, severity, evidence: visibleLine(evidence), remedy: visibleLine(remedy) };
}

/** A finding as one sentence, with its remedy where it has one. */
export function sentenceOf({ evidence, remedy }: Parts): string {
  return remedy === "" ? evidence : `${evidence}${BEFORE_REMEDY}${remedy}`;
}

/** What such a sentence was made of; the remedy is empty where it has none. */
export function partsOf(sentence: string): Parts {
  const [evidence = "", ...rest] = sentence.split(BEFORE_REMEDY);
  return { evidence, remedy: rest.join(BEFORE_REMEDY) };
}

type Parts = Pick<Finding, "evidence" | "remedy">;

const BEFORE_REMEDY = "; remedy: ";
