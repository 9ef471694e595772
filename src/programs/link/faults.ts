import { NODE_CONTAINER } from "../../core/api/names.ts";
import type { FaultSpec } from "#kit/base/fault";
import { containerLog } from "#kit/base/kubectl";
import { placeholder } from "#kit/base/shell-word";

/** The errors of the link between the sites of an Active-Active database. */
export const faults = {
  malformed: {
    code: "LINK_MALFORMED",
    retry: "backoff",
    remedy: "Something else than a link of this product is between the sites: the port must pass TLS through.",
  },
  refused: {
    code: "LINK_REFUSED",
    retry: "backoff",
    remedy: `The log of the node with the primary at the other site has the reason: ${containerLog(placeholder("<rec>-<n>"), NODE_CONTAINER)}.`,
  },
  untrusted: {
    code: "LINK_UNTRUSTED",
    retry: "backoff",
    remedy: "Compare ca.crt in the Secret of the remote cluster with that of the cluster there.",
  },
  silent: {
    code: "LINK_SILENT",
    retry: "backoff",
    remedy: "Look at the network between the sites, and at the node with the primary of the other site.",
  },
  noRoom: {
    code: "LINK_NO_ROOM",
    retry: "backoff",
    remedy:
      "The link connects again, and gets them once more: look at the links to the other sites, whose operations came too late.",
  },
  notHere: {
    code: "LINK_NOT_HERE",
    retry: "backoff",
    remedy: "The primary of the other site is being replaced, or does not run: look at the database there.",
  },
  cannotJoin: {
    code: "LINK_CANNOT_JOIN",
    retry: "backoff",
    remedy:
      "Every other site must answer once: look at its database, or take a site out that does not come back (docs/active-active.md).",
  },
  cannotCompare: {
    code: "LINK_CANNOT_COMPARE",
    retry: "backoff",
    remedy: "It is tried again until another site answers: look at the database there.",
  },
  notKept: {
    code: "LINK_NOT_KEPT",
    retry: "backoff",
    remedy: "Take the site out of the database, or make the database anew with all its sites (docs/active-active.md).",
  },
  outnumbered: {
    code: "LINK_OUTNUMBERED",
    retry: "backoff",
    remedy: "The link begins anew within seconds, and gets from the other sites what they have of this one.",
  },
  format: {
    code: "LINK_UNKNOWN_FORMAT",
    retry: "backoff",
    remedy: "Upgrade the cluster of the older site.",
  },
  badCommand: {
    code: "LINK_BAD_COMMAND",
    retry: "never",
    remedy: "Agent and link must be of the same release.",
  },
  failed: {
    code: "LINK_FAILED",
    retry: "backoff",
    remedy: "Look for the cause in the log of the link and report it.",
  },
  cannotListen: {
    code: "LINK_CANNOT_LISTEN",
    retry: "backoff",
    remedy: "Another process holds the port, or this machine does not have the address: ss -ltnp.",
  },
} as const satisfies Record<string, FaultSpec>;
