/** What an image means on this machine: a program and the environment that the image itself brings. */
export interface Image {
  /** Entry point; `command` of a container replaces it, `args` follow it. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where images come from. An image that does not resolve is reported as a failed pull. */
export interface ImageStore {
  /** Undefined when the store does not know this reference. */
  resolve(image: string): Image | undefined;
}
