import { z } from "zod";

/** What a licence grants, to whom and for how long; signed, so that a cluster can trust it without asking anybody. */
export const licenseTerms = z.strictObject({
  cluster_name: z.string().min(1).max(253).describe("The cluster it is for: `<rec>.<namespace>.svc.cluster.local`."),
  owner: z.string().max(256).describe("Whom it was issued to."),
  activation_date: z.iso.datetime().describe("When it begins."),
  expiration_date: z.iso.datetime().describe("When it ends."),
  shards_limit: z.int().min(1).max(1_000_000).describe("How many shards it allows, primaries and replicas together."),
  features: z.array(z.string().max(64)).max(64).describe("What it allows besides."),
});
export type LicenseTerms = z.output<typeof licenseTerms>;

/** ConfigMap in a cluster's namespace whose values are the public keys (PEM) that may sign its licences. */
export const LICENSE_AUTHORITIES = "store-enterprise-license-authorities";
