import { z } from "zod";
import { isParameter, parametersIn } from "./engine-parameters.ts";
import { PARAMETERS } from "./parameter-table.ts";

/** The fields of `spec.engineParameters`. */
export const engineParametersField = z
  .object(
    Object.fromEntries(
      Object.entries(PARAMETERS).map(([name, { values, use, fallback }]) => [
        name,
        z.string().regex(values.pattern).optional().describe(`${use} Default: \`${fallback}\`.`),
      ]),
    ),
  )
  .default({})
  .describe("Parameters of the engines. Each primary has them, also after a change of primary; CONFIG GET shows them.");

/** Engine parameters as one text, as records and the management API have them: `name=value`, sorted, with blanks between. */
export const engineParametersText = z
  .string()
  .max(2_000)
  .refine((text) => [...parametersIn(text)].every(isParameter), {
    error: "not `name=value` of parameters that can be set",
  });
