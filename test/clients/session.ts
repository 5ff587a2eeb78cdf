/**
 * A day in the life of a client, in plain fetch: it shows ads, reports clicks, reads its figures and its payouts, and
 * runs into the reporting limit. What a client may get wrong is asked of its habits; the rest is taken any way it comes.
 */

import type { ImpressionRecord, Payouts, PublisherStats, Surfaces } from "../../src/client/api.ts";
import { buildRequest, type Encoding } from "../../src/spec/build-request.ts";
import type { OperationId } from "../../src/spec/operations.ts";
import type { Habits } from "./habits.ts";

type Parameters = Readonly<Record<string, string | number>>;

/** Where the client finds the service, and who it is there. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
  readonly publisherId: string;
}

/** Plays the session. @throws Error where something isn't as the client needs it. */
export async function playSession(habits: Habits, access: Access): Promise<void> {
  const { call, send } = createCaller(habits, access);
  const publisher = { publisher_id: access.publisherId };

  const { surfaces } = await call<Surfaces>("surfaces", publisher);
  const active = surfaces.find(({ status }) => status === "active");
  if (active === undefined) throw new Error("no surface is active");
  const surface = habits.storedId(active.id);

  const before = await call<PublisherStats>("stats", publisher);
  const shown = { ...publisher, surface, ad_id: "ad-1", session_id: "session-1" };
  const recorded = await call<ImpressionRecord>("impression", shown);
  habits.checkMembers(recorded);
  const click = { impression_id: habits.storedId(recorded.impression_id) };
  // The answer could have been lost: the same impression once more is a duplicate, or counts again.
  await call("impression", shown, 409);
  await call("impression", { ...shown, ad_id: "ad-2", session_id: "session-2" });
  await call("click", click);
  // A second click is answered in many ways. None of them is this client's business.
  await call("click", click, 409);

  const refused = await send("impression", { surface });
  if (refused.status < 400 || refused.status > 499) throw new Error("a wrong request passed");
  habits.readError(refused.text);

  const { payouts } = await call<Payouts>("payouts", { ...publisher, limit: 50 });
  for (const payout of payouts) habits.paidAmount(payout);

  // A dashboard that reloads too often. The caller waits where it is told to.
  for (let reload = 0; reload < 70; reload += 1) await call("stats", publisher);

  await advanceClock(access, 36 * 60 * 60 * 1000);
  const after = await call<PublisherStats>("stats", { ...publisher, from: before.period.from });
  // Some services show a day's figures on the next day.
  const added = after.impressions - before.impressions;
  if (added < 2) throw new Error(`2 impressions were recorded, and ${added} are reported`);
}

const MAX_WAITS = 10;

/** Sends requests, in the encoding that the service understands, and again after a wait where it has to. */
function createCaller(habits: Habits, access: Access) {
  const encodings: Encoding[] = ["json", "form", "query"];

  async function send(operation: OperationId, parameters: Parameters) {
    for (let waits = 0; waits < MAX_WAITS; ) {
      const options = { key: access.apiKey, encoding: encodings[0] };
      const { path, query = "", ...init } = buildRequest(operation, parameters, options);
      const answer = await fetch(`${access.url}${path}?${query}`, init as RequestInit);
      const text = await answer.text();
      if (answer.status === 415 && encodings.length > 1) {
        encodings.shift();
      } else if (habits.isSlowDown(answer)) {
        await advanceClock(access, habits.waitMs(answer));
        waits += 1;
      } else {
        return { status: answer.status, text };
      }
    }
    throw new Error(`${operation} is refused however long one waits`);
  }

  /** @throws Error for an answer that is neither 200 nor `orStatus`. */
  async function call<Answer>(
    operation: OperationId,
    parameters: Parameters,
    orStatus = 200,
  ): Promise<Answer> {
    const { status, text } = await send(operation, parameters);
    if (status === 200) return JSON.parse(text);
    if (status === orStatus) return {} as Answer;
    throw new Error(`${operation}: ${status}: ${habits.readError(text)}`);
  }

  return { send, call };
}

/** The simulated service has a clock of its own: nobody has to sleep. */
async function advanceClock({ url }: Access, by: number): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ by });
  const answer = await fetch(`${url}/_sim/clock/advance`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`the clock can't be moved: ${await answer.text()}`);
}
