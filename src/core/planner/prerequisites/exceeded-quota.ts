import { parseQuantity } from "#kit/base/quantity";
import { mergeObject } from "../../api/kubectl.ts";

/** Names with quantities, as the API server lists them. */
const LIST = String.raw`[\w./-]+=[\w.+-]+(?:,[\w./-]+=[\w.+-]+)*`;
const EXCEEDED = new RegExp(`exceeded quota: ([a-z0-9.-]+), requested: (${LIST}), used: (${LIST}), limited: ${LIST}`);

/** What makes a quota admit the request that it refused with this `message` of the API server; undefined of any other refusal. */
export function admitByQuota(message: string): string | undefined {
  const [, quota, requested, used] = EXCEEDED.exec(message) ?? [];
  if (quota === undefined) return undefined;
  const has = new Map(quantitiesIn(used));
  const hard = quantitiesIn(requested).map(([name, asked]) => [name, textOf(asked + (has.get(name) ?? 0))] as const);
  return `let the quota admit it: ${mergeObject("resourcequota", quota, { spec: { hard: Object.fromEntries(hard) } })}`;
}

function quantitiesIn(list = ""): readonly (readonly [name: string, amount: number])[] {
  return list.split(",").map((each) => {
    const [name = "", amount = ""] = each.split("=");
    return [name, parseQuantity(amount)] as const;
  });
}

/** As a quantity without a unit: bytes, cores or objects. */
function textOf(amount: number): string {
  return String(Number(amount.toPrecision(15)));
}
