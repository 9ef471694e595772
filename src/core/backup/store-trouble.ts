/** What a client of an object store says when a request fails. */
export interface StoreFailure {
  /** Name of the error: of the protocol, of the library, or of the system. */
  readonly name: string;
  /** Status of the answer; absent: there was none. */
  readonly status?: number;
  /** Code of the operating system or of TLS, for instance `ECONNREFUSED`. */
  readonly code?: string;
}

/** Why an object store did not do what it was asked for. */
export type StoreTrouble =
  | "credentials"
  | "forbidden"
  | "region"
  | "bucket"
  | "clock"
  | "full"
  | "exists"
  | "missing"
  | "upload"
  | "certificate"
  | "unreachable"
  | "busy"
  | "other";

/**
 * The kind of a failure: by its name, which all servers of the protocol share, then by what else is known. An object is missing only when the store
 * says that of the object: the status alone may mean anything else.
 */
export function storeTrouble({ name, status, code = "" }: StoreFailure): StoreTrouble {
  const named = BY_NAME.get(name) ?? BY_NAME.get(code);
  if (named !== undefined) return named;
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) return "certificate";
  if (status === undefined) return /^E[A-Z]+$|^EAI_/.test(code) ? "unreachable" : "other";
  return BY_STATUS.get(status) ?? (status >= 500 ? "busy" : "other");
}

const BY_NAME: ReadonlyMap<string, StoreTrouble> = new Map<string, StoreTrouble>([
  ["InvalidAccessKeyId", "credentials"],
  ["SignatureDoesNotMatch", "credentials"],
  ["ExpiredToken", "credentials"],
  ["InvalidToken", "credentials"],
  ["XAdminUserNotFound", "credentials"],
  ["AccessDenied", "forbidden"],
  ["AllAccessDisabled", "forbidden"],
  ["AuthorizationHeaderMalformed", "region"],
  ["PermanentRedirect", "region"],
  ["IllegalLocationConstraintException", "region"],
  ["NoSuchBucket", "bucket"],
  ["RequestTimeTooSkewed", "clock"],
  ["RequestExpired", "clock"],
  ["QuotaExceeded", "full"],
  ["InsufficientStorage", "full"],
  ["EntityTooLarge", "full"],
  ["XMinioStorageFull", "full"],
  ["PreconditionFailed", "exists"],
  ["ConditionalRequestConflict", "exists"],
  ["NoSuchKey", "missing"],
  ["NoSuchUpload", "upload"],
  ["InvalidPart", "upload"],
  ["SlowDown", "busy"],
  ["ServiceUnavailable", "busy"],
  ["TimeoutError", "unreachable"],
  ["EPROTO", "certificate"],
]);

const BY_STATUS: ReadonlyMap<number, StoreTrouble> = new Map<number, StoreTrouble>([
  [301, "region"],
  [401, "credentials"],
  [403, "forbidden"],
  [412, "exists"],
  [429, "busy"],
  [507, "full"],
]);
