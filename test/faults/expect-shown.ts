/** Compares what a client saw of an answer, and what the journal says of it, with what a verdict should do. */

import { expect } from "vitest";
import { type Case, type Connected, type Manner, type Shown, show } from "./cases.ts";
import type { Seen } from "./observe.ts";

/** Part of every wording: in these manners no client fails. */
export const content = {
  whole: undefined,
  injected: undefined,
  wrong: undefined,
  bodiless: undefined,
  garbage: undefined,
} as const;

/** How a client words the failure of each manner; `undefined` if it is none. */
export type Wording = Readonly<Record<Manner, RegExp | undefined>>;

/** Compares what a client saw with the answer that it would get without a rule. */
function expectSeen({ seen, whole }: Shown<Seen>, { manner }: Case, wording: Wording): void {
  const wanted = wording[manner];
  const advice = `for "${manner}" the client's wording is ${wanted}; put its own words there if they are right`;
  if (wanted === undefined) expect(seen.failure, advice).toBeUndefined();
  else expect(seen.failure, advice).toMatch(wanted);
  const { length } = whole.body;
  switch (manner) {
    case "whole":
      expect(seen.status).toBe(200);
      expect(seen.body.equals(whole.body)).toBe(true);
      return;
    case "injected":
      expect(seen.status).toBe(503);
      expect(seen.headers["retry-after"]).toBe("7");
      expect(seen.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
      expect(seen.body.toString()).toBe('{"error":"busy"}');
      return;
    case "wrong": {
      expect(seen.status).toBe(200);
      expect(seen.headers["content-length"]).toBe(String(seen.body.length));
      const nulled = whole.body.toString().replaceAll(/"id":"[^"]*"/g, '"id":null');
      expect(nulled).not.toBe(whole.body.toString());
      expect(seen.body.toString()).toBe(nulled);
      return;
    }
    case "bodiless":
      expect(seen.status).toBe(204);
      expect(seen.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
      expect(seen.body.length).toBe(0);
      return;
    case "half":
    case "head":
      expect(seen.status).toBe(200);
      expect(seen.headers["content-length"]).toBe(String(length));
      expect(seen.body.length).toBe(manner === "half" ? Math.floor(length / 2) : 0);
      expect(whole.body.subarray(0, seen.body.length).equals(seen.body)).toBe(true);
      return;
    case "garbage":
      expect(seen.status).toBe(200);
      expect(seen.headers["content-type"]).toBe("application/json");
      expect(seen.body.length).toBe(length);
      expect(seen.body[0]).toBe(0xff);
      return;
    case "closed":
    case "reset":
    case "silent":
    case "noise":
      expect(seen.status).toBeUndefined();
      expect(seen.body.length).toBe(0);
      return;
    default:
      manner satisfies never;
  }
}

/** How much of an answer the client got, according to the journal. */
const receivedOf: Readonly<Record<Manner, "whole" | "part" | "nothing">> = {
  whole: "whole",
  injected: "whole",
  wrong: "whole",
  bodiless: "whole",
  closed: "nothing",
  reset: "nothing",
  silent: "nothing",
  half: "part",
  head: "part",
  garbage: "part",
  noise: "nothing",
};

/** Compares the journal entries of a request with what a rule should have done to it. */
function expectJournalled({ faults }: Shown<Seen>, { verdict, manner, served }: Case): void {
  const [first, ...copies] = faults;
  expect(faults.map((fault) => fault?.served)).toEqual(served);
  expect(first).toMatchObject({ kind: verdict.kind, received: receivedOf[manner] });
  expect(copies.map((fault) => fault?.received)).toEqual(served.slice(1).map(() => "nothing"));
}

/** Expects a client to see what a verdict does to one request, and the journal to record it. */
export async function expectShown(
  connected: Connected<Seen>,
  one: Case,
  wording: Wording,
): Promise<void> {
  const shown = await show(connected, one);
  expectAsCase(shown, one, wording);
  expectSlowBody(shown, one);
  const { pieces } = shown.seen;
  if (one.verdict.kind === "drip" && pieces !== undefined) expect(pieces).toBeGreaterThan(1);
}

/** A slow body takes as long as its pieces. Nothing is expected of other verdicts. */
export function expectSlowBody({ whole, tookMs }: Shown<Seen>, { verdict }: Case): void {
  if (verdict.kind !== "drip") return;
  const pieces = Math.ceil(whole.body.length / (verdict.bytesPerSecond / 20));
  expect(pieces).toBeGreaterThan(1);
  expect(tookMs).toBeGreaterThan(pieces * 48);
}

/** All but the pieces of a slow body. */
export function expectAsCase(shown: Shown<Seen>, one: Case, wording: Wording): void {
  expectSeen(shown, one, wording);
  expectJournalled(shown, one);
  const { kind, delay } = one.verdict;
  // A timer may fire early by a fraction of a millisecond.
  if (delay !== undefined || kind === "reorder") expect(shown.tookMs).toBeGreaterThan(58);
}
