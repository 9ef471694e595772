import { invalidValue, type Objection } from "./objection.ts";

/** Objects whose names become names of Services: a letter first, then letters, digits and hyphens, 63 at most. */
export function serviceNameObjections(name: string, limit: number, why: string): readonly Objection[] {
  const field = "metadata.name";
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    const rule = "small letters, digits and hyphens, a letter first, no hyphen last";
    return [invalidValue(field, name, `${why} is made from it, so it may have ${rule}`, "choose another name")];
  }
  if (name.length <= limit) return [];
  return [invalidValue(field, name, `it has ${name.length} characters and may have ${limit}`, "choose a shorter name")];
}

/** Whether `text` is a DNS name: labels of letters, digits and hyphens between dots. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/i.test(label));
}
