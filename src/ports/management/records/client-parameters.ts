import { z } from "zod";
import type { Answered } from "./answered.ts";

/** Answer of `POST /v1/bdbs/<uid>/client_parameters`. */
export const CLIENT_PARAMETERS = z
  .strictObject({
    revision: z.int().nonnegative().describe("Rises with each change."),
    client_parameters: z.string().describe("All that clients have set."),
  })
  .meta({ id: "ClientParameters" });

export type ClientParametersRecord = Answered<typeof CLIENT_PARAMETERS>;

/** Its body: `name=value` with blanks between. */
export interface ClientParametersChange {
  readonly parameters: string;
}
