import { block, type Check } from "./check.ts";

/** §3, §7: an invalid licence fails the upgrade. */
export const licenseIsValid: Check = {
  id: "LicenseInvalid",
  asks: "the licence is in force",
  at: ["start"],
  needs: ["cluster"],
  find({ view: { cluster }, step }) {
    if (step === undefined || !cluster.reachable || cluster.license.state === "Valid") return undefined;
    return block(
      "LicenseInvalid",
      cluster.license.reason,
      "install a valid licence (`PUT /v1/license`, or spec.licenseSecretName); the upgrade then goes on by itself",
    );
  },
};
