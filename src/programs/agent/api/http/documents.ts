import type { AgentConfig } from "../../runtime/config.ts";
import { type EventsContext, listEvents } from "../cluster/events.ts";
import type { Handlers } from "./handler-call.ts";
import { objectSchemas, openApiDocument } from "./openapi.ts";
import { refusals, refuse } from "./refusals.ts";

/** What the documents are made for. */
type DocumentsContext = EventsContext & { readonly config: Pick<AgentConfig, "release"> };

type DocumentRoutes = "openapi" | "jsonSchemas" | "jsonSchema" | "logs";

/** What the API says about itself, and the events of the cluster. */
export function documentHandlers(context: DocumentsContext): Pick<Handlers, DocumentRoutes> {
  const { release } = context.config;
  const schemaOf = (name: string) => {
    const schemas = objectSchemas(release);
    const found = Object.entries(schemas).find(([each]) => each.toLowerCase() === (OTHER_NAMES[name] ?? name));
    if (found !== undefined) return found[1];
    throw refuse(refusals.noSuchObject, `there is no object ${name}; there are: ${Object.keys(schemas).join(", ")}`);
  };
  return {
    openapi: async () => openApiDocument(release),
    jsonSchemas: async ({ query }) =>
      query.object === undefined ? Object.keys(objectSchemas(release)) : schemaOf(query.object.toLowerCase()),
    jsonSchema: async ({ params }) => schemaOf((params.object ?? "").toLowerCase()),
    logs: async ({ query }) => listEvents(context, query),
  };
}

/** What clients of such APIs call objects. */
const OTHER_NAMES: Readonly<Record<string, string>> = { bdb: "database", crdb: "activeactivedatabase" };
