import { z } from "zod";
import { until } from "#kit/testing/until";

const condition = z.object({ type: z.string(), status: z.string() });
/** The conditions of a new definition are absent or null. */
const definition = z.object({ status: z.object({ conditions: z.array(condition).nullish() }).optional() });
const definitions = z.object({ items: z.array(definition) });

/** Resolves once every definition is served. `kubectl wait` fails on one that has no conditions yet, so it is not used. */
export async function established(kubectl: (line: string) => Promise<string>): Promise<void> {
  const areEstablished = async (): Promise<boolean> => {
    const { items } = definitions.parse(JSON.parse(await kubectl("get crd -o json")));
    return items.every(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True"),
    );
  };
  await until("every definition is established", areEstablished, { withinMs: 30_000, everyMs: 100 });
}
