/** How far a step moves the time: a duration, to an instant, or as long as a Retry-After says. */

import { parseInstant } from "../../base/calendar.ts";
import { durationMs } from "../../base/duration.ts";
import { inconclusive } from "../../laws/law.ts";
import type { Exchange } from "../../laws/seen-exchange.ts";
import type { AdvanceStep } from "../language/scenario.ts";

import { answerOf, type Scope } from "./values.ts";

/** Milliseconds from `nowMs` on. @throws Inconclusive where the target's time can't be moved so. */
export function advanceMs({ advance }: AdvanceStep, nowMs: number, scope: Scope): number {
  if (typeof advance !== "object") return durationMs(advance);
  if ("to" in advance) {
    const toMs = parseInstant(advance.to) ?? nowMs;
    return toMs >= nowMs ? toMs - nowMs : inconclusive(`it is past ${advance.to} already`);
  }
  const { retryAfterOf, less = 0, more = 0 } = advance;
  const answer = answerOf(retryAfterOf, scope);
  const hinted = retryAfterMs(answer) ?? inconclusive(`${retryAfterOf} has no Retry-After`);
  return Math.max(0, answer.atMs + hinted - durationMs(less) + durationMs(more) - nowMs);
}

/** How long to wait from the answer on, as its header says: in seconds, or until a date (RFC 9110 §10.2.3). */
function retryAfterMs({ headers, atMs }: Exchange): number | undefined {
  const hint = headers["retry-after"];
  if (hint === undefined) return undefined;
  if (/^\d+$/.test(hint)) return Number(hint) * 1000;
  const untilMs = Date.parse(hint);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - atMs);
}
