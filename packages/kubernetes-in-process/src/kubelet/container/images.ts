/** What an image means on this machine: a program and the environment that the image itself brings. */
export interface Image {
  /** Entry point; `command` of a container replaces it, `args` follow it. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that it brings, by their paths below the root of the container. */
  readonly files: Readonly<Record<string, string>>;
  /** `sha256:` and what tells it from every other image. */
  readonly digest: string;
}

/** Where images come from. An image that does not resolve is reported as a failed pull. */
export interface ImageStore {
  /** Undefined when the store does not know this reference. Of `name:tag@digest` the digest alone decides. */
  resolve(image: string): Image | undefined;
}
