import assert from "node:assert/strict";
import { test } from "node:test";
import { baseSystemIn } from "./base-system.ts";

const cases: readonly (readonly [name: string, osRelease: string, want: string | undefined])[] = [
  ["a version of RHEL", 'NAME="Red Hat Enterprise Linux"\nID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.4"\n', "rhel9"],
  ["a version of Ubuntu", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID='18.04'\n", "ubuntu18"],
  ["a version of Debian", 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n', "debian12"],
  ["a system without versions", "ID=arch\nBUILD_ID=rolling\n", "arch"],
  ["no id", 'VERSION_ID="9"\n', undefined],
  ["no os-release at all", "<html>", undefined],
];

for (const [name, osRelease, want] of cases)
  test(`base system: ${name} is ${want ?? "not known"}`, () => {
    assert.equal(baseSystemIn(osRelease), want);
  });
