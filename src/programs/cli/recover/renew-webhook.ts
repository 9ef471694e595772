import { ADMISSION_SECRET } from "../../../core/api/names.ts";
import { Secrets, ValidatingWebhookConfigurations } from "#kit/kube/builtin";
import type { NamespaceAccess } from "../access/namespace-access.ts";

/** Puts the certificate of the secret into each entry of a webhook configuration (§4.1). */
export async function renewWebhook({ kube, namespace }: NamespaceAccess, name: string): Promise<void> {
  const [secret, configuration] = await Promise.all([
    kube.get(Secrets, { name: ADMISSION_SECRET, namespace }),
    kube.get(ValidatingWebhookConfigurations, { name }),
  ]);
  const certificate = secret?.data?.["cert"] ?? "";
  const operations = (configuration?.webhooks ?? []).map((_entry, index) => ({
    op: "add",
    path: `/webhooks/${index}/clientConfig/caBundle`,
    value: certificate,
  }));
  if (certificate !== "" && operations.length > 0)
    await kube.patch(ValidatingWebhookConfigurations, { name }, { type: "json", operations });
}
