import type { FaultSpec } from "../base/fault.ts";

/** What can go wrong with certificates. */
export const faults = {
  badName: {
    code: "PKI_BAD_NAME",
    retry: "never",
    remedy: "Use a common name of 1 to 64 characters, ASCII DNS names, and IP addresses in their usual spelling.",
  },
  unreadable: {
    code: "PKI_UNREADABLE",
    retry: "never",
    remedy: "Delete the Secret or file that holds the certificate. A new certificate is then issued.",
  },
  unusableAuthority: {
    code: "PKI_UNUSABLE_AUTHORITY",
    retry: "never",
    remedy: "Give an authority that has not expired and whose EC P-256 key belongs to its certificate.",
  },
} as const satisfies Record<string, FaultSpec>;
