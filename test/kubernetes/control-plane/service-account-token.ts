import { z } from "zod";
import type { Kube, Ref } from "#kit/kube/kube";

const TokenRequest = z.object({ status: z.object({ token: z.string() }) });

/** Asks the API server for a token of a ServiceAccount, good for an hour. */
export async function tokenOf(kube: Kube, { namespace = "default", name }: Ref): Promise<string> {
  const answer = await kube.raw("POST", `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3600 },
  });
  return TokenRequest.parse(JSON.parse(answer)).status.token;
}
