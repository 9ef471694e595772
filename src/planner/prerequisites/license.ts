import { block, type Check } from "./check.ts";

/** §7: an invalid licence fails the upgrade. */
export const licenseIsValid: Check = {
  id: "LicenseInvalid",
  asks: "the licence is in force",
  at: ["start"],
  needs: ["cluster"],
  find({ view: { cluster }, step }) {
    if (step === undefined || !cluster.reachable || !cluster.license.expired) return undefined;
    return block(
      "LicenseInvalid",
      `the licence expired on ${cluster.license.expirationDate}`,
      "install a valid licence (PUT /v1/license); the upgrade then goes on by itself",
    );
  },
};
