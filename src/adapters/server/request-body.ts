/** Takes the kept part of a request's body from its pieces. */

import { isUtf8 } from "node:buffer";
import { runToEnd, type Work } from "../../spec/work.ts";

/** A body so far. It usually comes in one piece. */
export interface KeptBody {
  first: Buffer | undefined;
  others: Buffer[] | undefined;
  readonly keptBytes: number;
  readonly limitBytes: number;
}

/** The body as text if no information is lost, because text is read faster. */
export function takeBody(kept: KeptBody): string | Uint8Array {
  const { first, others } = kept;
  if (first === undefined) return "";
  if (others !== undefined) return runToEnd(joinBody(kept));
  kept.first = undefined;
  return mayBeText(kept, first) && isUtf8(first) ? first.toString() : first;
}

/** {@link takeBody} for a body in several pieces. */
export function* joinBody(kept: KeptBody): Work<string | Uint8Array> {
  const { first, others = [], keptBytes } = kept;
  if (first === undefined) return "";
  // Frees memory: a connection keeps its last request, and a body can be a snapshot of 32 MiB.
  kept.first = undefined;
  kept.others = undefined;
  const pieces = [first, ...others];
  if (mayBeText(kept, first)) {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    try {
      let text = "";
      for (const piece of pieces) {
        text += decoder.decode(piece, { stream: true });
        yield;
      }
      return text + decoder.decode();
    } catch {
      // It isn't UTF-8.
    }
  }
  const bytes = Buffer.allocUnsafe(keptBytes);
  let at = 0;
  for (const piece of pieces) {
    at += piece.copy(bytes, at);
    yield;
  }
  return bytes;
}

/** A body cut off at its limit must keep its length in bytes, because that is why it is refused. */
function mayBeText({ keptBytes, limitBytes }: KeptBody, first: Buffer): boolean {
  return keptBytes < limitBytes && first[0] !== BYTE_ORDER_MARK;
}

/** Its first byte. Whoever reads the body handles it. */
const BYTE_ORDER_MARK = 0xef;
