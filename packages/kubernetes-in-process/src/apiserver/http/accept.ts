import { apiErrors, apiError } from "../faults.ts";

/** The shape in which a client wants objects. */
export interface View {
  readonly as: "Object" | "Table" | "PartialObjectMetadata" | "APIGroupDiscoveryList";
  /** The version of that shape: `v1` for tables, `v2` or `v2beta1` for discovery. */
  readonly version: string;
  readonly yaml: boolean;
}

const JSON_VIEW: View = { as: "Object", version: "v1", yaml: false };

/** The first shape of the Accept header that this server writes (protobuf is never one); 406 when there is none. */
export function viewOf(accept: string | undefined, shapes: readonly View["as"][]): View {
  if (accept === undefined || accept.trim() === "") return JSON_VIEW;
  for (const clause of accept.split(",")) {
    const view = clauseView(clause);
    if (view !== undefined && (view.as === "Object" || shapes.includes(view.as))) return view;
  }
  throw apiError(
    apiErrors.notAcceptable,
    "only the following media types are accepted: application/json, application/yaml",
  );
}

function clauseView(clause: string): View | undefined {
  const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
  const values = new Map(parameters.map((parameter) => [parameter.split("=")[0] ?? "", parameter.split("=")[1] ?? ""]));
  const yaml = type === "application/yaml";
  if (!yaml && !["application/json", "application/*", "*/*"].includes(type)) return undefined;
  const as = values.get("as");
  const version = values.get("v") ?? "v1";
  switch (as) {
    case undefined:
      return { ...JSON_VIEW, yaml };
    case "Table":
      return version === "v1" || version === "v1beta1" ? { as, version, yaml } : undefined;
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return { as: "PartialObjectMetadata", version, yaml };
    case "APIGroupDiscoveryList":
      return version === "v2" || version === "v2beta1" ? { as, version, yaml } : undefined;
    default:
      return undefined;
  }
}
