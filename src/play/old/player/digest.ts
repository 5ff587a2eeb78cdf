/** A digest of what the client saw. It leaves out transport details, so it is the same on every target in virtual time. */

import { createDigest, type Digest } from "../../../base/digest.ts";
import type { ClientExchange } from "../../../invariants/client-exchange.ts";

/** Headers that describe the connection or the current time. */
const transportHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** Headers that adsim adds under `explain`. */
const EXPLAIN_PREFIX = "x-adsim-";

export interface RunDigest extends Pick<Digest, "text" | "value"> {
  /** Adds a whole exchange. */
  exchange(exchange: ClientExchange): void;
  /** Adds only outcome, status, remaining quota and body length. For traffic, which has millions of exchanges. */
  brief(exchange: ClientExchange): void;
}

const outcomes = { answered: 1, cut: 2, lost: 3, "timed-out": 4 } as const;

export function createRunDigest(): RunDigest {
  const { text, number, value } = createDigest();
  return {
    text,
    value,
    exchange({ outcome, status, headers, text: body }) {
      number(outcomes[outcome] * 1000 + status);
      for (const name of Object.keys(headers).sort()) {
        if (!transportHeaders.has(name) && !name.startsWith(EXPLAIN_PREFIX))
          text(`${name}: ${headers[name]}`);
      }
      text(body);
    },
    brief({ outcome, status, headers, text: body }) {
      number(outcomes[outcome] * 1000 + status);
      number(quotaLeft(headers["x-ratelimit-remaining"]));
      number(body.length);
    },
  };
}

/** The same as `Number`, but several times as fast for the few digits that nearly every answer has. */
function quotaLeft(text = "-1"): number {
  const { length } = text;
  if (length > 6) return Number(text);
  let left = 0;
  for (let index = 0; index < length; index += 1) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return Number(text);
    left = left * 10 + digit;
  }
  return left;
}
