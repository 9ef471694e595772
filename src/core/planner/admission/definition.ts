import { RELEASE_ANNOTATION } from "../../api/names.ts";
import { knowLess } from "../../releases/catalogue/definitions.ts";
import { forbiddenValue, type Objection } from "./objection.ts";

/** One of our definitions that is being replaced, by the releases that both are marked with. */
export interface DefinitionChange {
  readonly mark: string | undefined;
  readonly before: string | undefined;
}

/** A definition that becomes older cuts fields off every object that is written from then on. */
export function objectionsToDefinition({ mark, before }: DefinitionChange): readonly Objection[] {
  if (!knowLess(mark, before)) return [];
  const from = before ?? "";
  const why =
    `this definition is ${mark === undefined ? "of no marked release" : `of ${mark}`} and would replace the one of ${from}: ` +
    "fields that only the newer one knows would be cut off objects";
  const remedy =
    "leave it as it is: older operators work with it, and everything else of a bundle is applied without it";
  return [forbiddenValue(`metadata.annotations[${RELEASE_ANNOTATION}]`, why, remedy, "DefinitionWrong")];
}
