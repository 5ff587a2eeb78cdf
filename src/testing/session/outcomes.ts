/** Makes calls to a client, and says when and how each of them ended. */

import type { TestWorld } from "../driver/test-world.ts";
import { pause } from "../time/time.ts";
import type { Outcome, Step } from "./session.ts";
import { errorInWords, valueInWords } from "./words.ts";

export type Call = () => Promise<unknown>;

// More requests than one call needs, and a queued ad view with its clicks, including retries.
const MAX_REQUESTS = 250;
const REQUESTS_PER_VIEW = 60;
export const requestBudget = `${MAX_REQUESTS} requests a call, or ${REQUESTS_PER_VIEW} an ad view if that is more`;

interface CallOptions {
  /** How long after each other the calls are made. @default 0 */
  readonly apartMs?: number | undefined;
  /** How many ad views the client was given, which it may still have to deliver. @default 0 */
  readonly views?: number | undefined;
}

export async function outcomeOf(
  world: TestWorld,
  call: Call,
  options?: CallOptions,
): Promise<Outcome> {
  const [ended] = await outcomesOf(world, [call], options);
  return ended?.outcome ?? { kind: "stuck" };
}

/** Makes all calls at once or `apartMs` after each other, and waits for all of them. */
export async function outcomesOf(
  { time, grant, sim }: Pick<TestWorld, "time" | "grant" | "sim">,
  calls: readonly (Call | Outcome)[],
  { apartMs = 0, views = 0 }: CallOptions = {},
): Promise<Pick<Step, "outcome" | "atMs" | "endMs">[]> {
  const startMs = sim.clock.now();
  const ended = new Map<number, { readonly outcome: Outcome; readonly endMs: number }>();
  const isFlooded = grant(Math.max(MAX_REQUESTS * calls.length, REQUESTS_PER_VIEW * views));
  const works = calls.map(async (call, at) => {
    if (!(call instanceof Function)) return;
    if (at * apartMs > 0) await pause(time.timers, at * apartMs);
    const outcome = await call().then(
      (value): Outcome => ({ kind: "done", value, gave: valueInWords(value) }),
      (error: unknown): Outcome => ({ kind: "failed", error, gave: errorInWords(error) }),
    );
    ended.set(at, { outcome, endMs: sim.clock.now() });
  });
  const { kind } = await time.until(Promise.all(works));
  const unfinished: Outcome = { kind: isFlooded() ? "flooded" : kind === "over" ? "stuck" : kind };
  return calls.map((call, at) => {
    const atMs = startMs + at * apartMs;
    if (!(call instanceof Function)) return { outcome: call, atMs, endMs: atMs };
    return { outcome: unfinished, endMs: sim.clock.now(), ...ended.get(at), atMs };
  });
}
