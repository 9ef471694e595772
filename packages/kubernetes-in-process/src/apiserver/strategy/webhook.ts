import type { StatusCause } from "../faults.ts";
import { fillIn, isJson, jsonAt, listAt, numberAt, textAt, type Json } from "../objects/json.ts";
import type { Strategy } from "../resources/resource.ts";

export const webhookStrategy: Strategy = {
  defaults: (configuration) => {
    for (const webhook of listAt(configuration, "webhooks")) {
      fillIn(webhook, { failurePolicy: "Fail", matchPolicy: "Equivalent", timeoutSeconds: 10 });
      fillIn(webhook, { namespaceSelector: {}, objectSelector: {} });
      for (const rule of listAt(webhook, "rules")) fillIn(rule, { scope: "*" });
      const service = jsonAt(webhook, "clientConfig")["service"];
      if (isJson(service)) fillIn(service, { port: 443 });
    }
  },
  check: (configuration) =>
    listAt(configuration, "webhooks").flatMap((webhook, place) => causesIn(webhook, `webhooks[${place}]`)),
};

function causesIn(webhook: Json, path: string): StatusCause[] {
  const name = textAt(webhook, "name");
  const url = textAt(webhook, "clientConfig", "url");
  const seconds = numberAt(webhook, "timeoutSeconds") ?? 10;
  return [
    ...wrong(name.split(".").length < 3, `${path}.name`, name, "should be a domain with at least three segments"),
    ...wrong(url !== "" && !url.startsWith("https://"), `${path}.clientConfig.url`, url, "'https' is the only scheme"),
    ...wrong(seconds < 1 || seconds > 30, `${path}.timeoutSeconds`, seconds, "must be between 1 and 30 seconds"),
  ];
}

function wrong(is: boolean, field: string, value: string | number, rule: string): StatusCause[] {
  if (!is) return [];
  return [{ reason: "FieldValueInvalid", field, message: `Invalid value: ${JSON.stringify(value)}: ${rule}` }];
}
