import type { CliContext } from "../console/context.ts";

/** Where an upgrade prints and asks. */
export interface Talk extends CliContext {
  readonly agreed: boolean;
  /** Aborts when the user has had enough. */
  readonly signal: AbortSignal | undefined;
}

export interface UpgradeOptions {
  readonly cluster?: string | undefined;
  readonly to: string;
  readonly kubernetes?: string;
  readonly databases?: string;
  readonly bundle?: string;
}
