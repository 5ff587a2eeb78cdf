/** How far a step moves the time: a duration, to an instant, or as long as a Retry-After says. */

import { parseInstant } from "../../base/calendar.ts";
import { durationMs } from "../../base/duration.ts";
import type { Exchange } from "../../laws/seen-exchange.ts";
import type { AdvanceStep } from "../language/scenario.ts";

import { type Found, found, unknown } from "./names.ts";
import type { Run } from "./run.ts";
import { whyNoAnswer } from "./values.ts";

/** Milliseconds from `nowMs` on. */
export function advanceMs(run: Run, { advance }: AdvanceStep, nowMs: number): Found<number> {
  if (typeof advance !== "object") return found(durationMs(advance));
  if ("to" in advance) {
    const toMs = parseInstant(advance.to) ?? nowMs;
    if (toMs >= nowMs) return found(toMs - nowMs);
    return unknown(`it is past ${advance.to} already`);
  }
  const { retryAfterOf, less = 0, more = 0 } = advance;
  const named = run.names.get(retryAfterOf);
  if (named?.kind !== "answer") return unknown(whyNoAnswer(retryAfterOf, named));
  const hinted = retryAfterMs(named.exchange);
  if (hinted === undefined) return unknown(`${retryAfterOf} has no Retry-After`);
  const untilMs = named.exchange.atMs + hinted - durationMs(less) + durationMs(more);
  return found(Math.max(0, untilMs - nowMs));
}

/** How long to wait from the answer on, as its header says: in seconds, or until a date (RFC 9110 §10.2.3). */
function retryAfterMs({ headers, atMs }: Exchange): number | undefined {
  const hint = headers["retry-after"];
  if (hint === undefined) return undefined;
  if (/^\d+$/.test(hint)) return Number(hint) * 1000;
  const untilMs = Date.parse(hint);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - atMs);
}
