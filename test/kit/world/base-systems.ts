import { releaseByOperator } from "../../../src/core/releases/catalogue/find.ts";
import type { ImageStore } from "#kubernetes";

/** The same images, each with the base system that the catalogue has for the official image of its release. */
export function onOfficialBase(images: ImageStore): ImageStore {
  return {
    resolve: (reference) => {
      const image = images.resolve(reference);
      const release = releaseByOperator(image?.env["STORE_RELEASE"] ?? "");
      return image && { ...image, files: { "etc/os-release": osRelease(release?.baseSystems.at(-1) ?? "") } };
    },
  };
}

/** The file that makes a program report `system`, for instance `rhel9`. */
export function osRelease(system: string): string {
  const [, id = "", version = ""] = /^([a-z]+)(\d*)$/.exec(system) ?? [];
  return `ID="${id}"\nVERSION_ID="${version}.4"\n`;
}
