/** A digest of what the client saw. It leaves out transport details, so it is the same on every target in virtual time. */

import { createDigest } from "../../base/digest.ts";
import type { ClientExchange } from "../../invariants/client-exchange.ts";

/** Headers that describe the connection or the current time, and those that adsim adds under `explain`. */
const ofTransport = /^(?:connection|content-length|date|keep-alive|transfer-encoding|x-adsim-.*)$/;

const outcomes = { answered: 1, cut: 2, lost: 3, "timed-out": 4 } as const;

export function createRunDigest() {
  const { text, number, value } = createDigest();
  return {
    text,
    value,
    /** Adds a whole exchange. */
    exchange({ outcome, status, headers, text: body }: ClientExchange): void {
      number(outcomes[outcome] * 1000 + status);
      for (const name of Object.keys(headers).sort()) {
        if (!ofTransport.test(name)) text(`${name}: ${headers[name]}`);
      }
      text(body);
    },
    /** Adds only outcome, status, remaining quota and body length. For traffic, which has millions of exchanges. */
    brief({ outcome, status, headers, text: body }: ClientExchange): void {
      number(outcomes[outcome] * 1000 + status);
      number(Number(headers["x-ratelimit-remaining"] ?? -1));
      number(body.length);
    },
  };
}
