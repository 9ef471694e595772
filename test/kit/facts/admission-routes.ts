import type { AdmissionRoute } from "../../../src/core/planner/prerequisites/environment.ts";

/** The webhook has an address. */
export const OPEN: AdmissionRoute = { endpoints: 1, closed: "", lacks: "nothing" };

/** No pod of the operator is ready behind its Service. */
export const CLOSED: AdmissionRoute = {
  endpoints: 0,
  closed: "no address is ready behind service admission",
  lacks: "pods",
};

/** The Service leads elsewhere. */
export const ASTRAY: AdmissionRoute = {
  endpoints: 0,
  closed: "service admission leads port 443 to 9999, where the operator answers at 8443",
  lacks: "lead",
};
