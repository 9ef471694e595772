import type { ValidatingWebhookConfiguration } from "kubernetes-types/admissionregistration/v1.js";
import { operatorCall, WEBHOOK_NAME } from "../../api/names.ts";

/** What is called about an object of users, by the entry of a configuration that is ours, or by its first one. */
export interface WebhookEntry {
  /** Its name. */
  readonly entry: string;
  /** Namespace of the Service; empty where none is called. */
  readonly namespace: string;
  /** Where the API server asks; empty where it asks nothing. */
  readonly calls: string;
  /** A write is refused while it gets no answer. */
  readonly isRefusing: boolean;
  /** As it is stored, in base64. */
  readonly caBundle: string;
}

/** Reads that of a configuration. */
export function webhookEntry({ webhooks = [] }: Pick<ValidatingWebhookConfiguration, "webhooks">): WebhookEntry {
  const entry = webhooks.find(({ name }) => name === WEBHOOK_NAME) ?? webhooks[0];
  const { service, url, caBundle = "" } = entry?.clientConfig ?? {};
  const { name = "", namespace = "", port = 443, path = "/" } = service ?? {};
  const calls = url ?? (service === undefined ? "" : addressOf({ name, namespace, port, path }));
  return { entry: entry?.name ?? "", namespace, calls, isRefusing: entry?.failurePolicy !== "Ignore", caBundle };
}

/** What the webhook of the operator in a namespace is called by. */
export function rightCall(namespace: string): string {
  return addressOf(operatorCall(namespace));
}

function addressOf({
  name,
  namespace,
  port,
  path,
}: Readonly<Record<"name" | "namespace" | "path", string>> & { readonly port: number }): string {
  return `https://${name}.${namespace}.svc:${port}${path}`;
}

/** What is wrong with an entry that calls something else. */
export function astrayText(
  { name, calls }: { readonly name: string; readonly calls: string },
  namespace: string,
): string {
  return `${name} calls ${calls || "nothing"}, where the operator answers at ${rightCall(namespace)}`;
}

/** What becomes of writes while the webhook gets no answer. */
export function unansweredText(isRefusing = true): string {
  return isRefusing ? "writes of users are refused" : "writes of users are not judged";
}
