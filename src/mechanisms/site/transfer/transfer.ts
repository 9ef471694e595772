import { EMPTY_TRANSFER, encodeTransferBegin } from "../../../core/merge/transfer/transfer.ts";

/** All that a site has, on its way to one that has nothing. */
export interface Transfer {
  /** A `TransferBegin` (core/merge), encoded. */
  readonly begin: Uint8Array;
  /** First the keys, then the operations. Rejects when not all of it comes. */
  readonly parts: AsyncIterable<TransferPart> | Iterable<TransferPart>;
}

/** A `TransferredKey` or an `Operation` (core/merge), encoded. */
export interface TransferPart {
  readonly kind: "key" | "operation";
  readonly body: Uint8Array;
}

/** What a site gets that has nothing where no other one has anything either. */
export function emptyTransfer(): Transfer {
  return { begin: encodeTransferBegin(EMPTY_TRANSFER), parts: [] };
}
