/** A digest of what the client saw: the same for every target in virtual time, so without what belongs to a connection. */

import { createDigest, type Digest } from "../../base/digest.ts";
import type { ClientExchange } from "../../laws/client-exchange.ts";

/** Headers of the connection, and of the moment it was used. */
const transportHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** What a server of adsim adds when it is asked to explain itself. */
const EXPLAIN_PREFIX = "x-adsim-";

export interface RunDigest extends Pick<Digest, "text" | "value"> {
  /** All of an exchange. */
  exchange(exchange: ClientExchange): void;
  /** One of very many: outcome, status, quota left, and the length of the body. */
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

/** As `Number` reads it, which takes several times as long for the few digits of nearly every answer. */
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
