/**
 * A day in the life of a client, in plain fetch: it shows ads, reports clicks, reads its figures and its payouts, and
 * runs into the reporting limit. What a client may get wrong is asked of its habits; the rest is taken any way it comes.
 */

import type { Habits, Payout } from "./habits.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Parameters = Readonly<Record<string, string | number>>;

/** Where the client finds the service, and who it is there. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
  readonly publisherId: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Plays the session. @throws Error where something isn't as the client needs it. */
export async function playSession(habits: Habits, access: Access): Promise<void> {
  const { get, post, send } = createCaller(habits, access);
  const publisher = { publisher_id: access.publisherId };

  const { surfaces } = await get("/v1/publisher/surfaces", publisher);
  const active = list(surfaces).find(({ status }) => status === "active");
  if (active === undefined) throw new Error("no surface is active");
  const surface = habits.storedId(text(active.id));

  const before = await get("/v1/publisher/stats", publisher);
  const shown = { ...publisher, surface, ad_id: "ad-1", session_id: "session-1" };
  const recorded = await post("/v1/impression", shown);
  habits.checkMembers(recorded);
  const impressionId = habits.storedId(text(recorded.impression_id));
  // The answer could have been lost: the same impression once more is a duplicate, or counts again.
  await post("/v1/impression", shown, { orStatus: 409 });
  await post("/v1/impression", { ...shown, ad_id: "ad-2", session_id: "session-2" });
  amount((await post("/v1/click", { impression_id: impressionId })).revenue_credited_inr);
  // A second click is answered in many ways. None of them is this client's business.
  await post("/v1/click", { impression_id: impressionId }, { orStatus: 409 });

  const refused = await send("POST", "/v1/impression", { surface });
  if (refused.status < 400 || refused.status > 499) throw new Error("a wrong request passed");
  console.log(`refused as it should be: ${habits.readError(refused.text)}`);

  await readPayouts(habits, await get("/v1/publisher/payouts", { ...publisher, limit: 50 }));

  // A dashboard that reloads too often. The caller waits where it is told to.
  for (let reload = 0; reload < 70; reload += 1) await get("/v1/publisher/stats", publisher);

  await advanceClock(access, 36 * 60 * 60 * 1000);
  const period = before.period as { readonly from: string };
  const after = await get("/v1/publisher/stats", { ...publisher, from: period.from });
  // Some services show a day's figures on the next day.
  const added = amount(after.impressions) - amount(before.impressions);
  if (added < 2) throw new Error(`2 impressions were recorded, and ${added} are reported`);
  console.log("done");
}

/** Adds up what was paid, whatever order the list has. */
async function readPayouts(habits: Habits, answer: Record<string, unknown>): Promise<void> {
  // The spec documents these fields (part 2).
  const payouts = list(answer.payouts) as unknown as readonly Payout[];
  let paid = 0;
  for (const payout of payouts) paid += habits.paidAmount(payout);
  console.log(`${payouts.length} payouts, ${paid} paid, ${amount(answer.pending_inr)} pending`);
}

interface Caller {
  get(path: string, parameters: Parameters): Promise<Record<string, unknown>>;
  /** @throws Error for an answer that is neither 200 nor `orStatus`. */
  post(
    path: string,
    parameters: Parameters,
    options?: { readonly orStatus: number },
  ): Promise<Record<string, unknown>>;
  send(method: "GET" | "POST", path: string, parameters: Parameters): Promise<Answer>;
}

const encodings = ["json", "form", "query"] as const;
const MAX_WAITS = 10;

/** Sends requests, in the encoding that the service understands, and again after a wait where it has to. */
function createCaller(habits: Habits, access: Access): Caller {
  let encoding: (typeof encodings)[number] = "json";

  async function send(
    method: "GET" | "POST",
    path: string,
    parameters: Parameters,
  ): Promise<Answer> {
    for (let waits = 0; waits < MAX_WAITS; ) {
      const answer = await access.fetch(
        ...requestFor(access, { method, path, parameters, encoding }),
      );
      const body = await answer.text();
      const next = encodings[encodings.indexOf(encoding) + 1];
      if (answer.status === 415 && method === "POST" && next !== undefined) {
        encoding = next;
      } else if (habits.isSlowDown(answer)) {
        await advanceClock(access, habits.waitMs(answer));
        waits += 1;
      } else {
        return { status: answer.status, text: body };
      }
    }
    throw new Error(`${method} ${path} is refused however long one waits`);
  }
  async function call(
    method: "GET" | "POST",
    path: string,
    parameters: Parameters,
    orStatus = 200,
  ): Promise<Record<string, unknown>> {
    const answer = await send(method, path, parameters);
    if (answer.status === 200) return JSON.parse(answer.text);
    if (answer.status === orStatus) return {};
    throw new Error(`${method} ${path}: ${answer.status}: ${habits.readError(answer.text)}`);
  }

  return {
    send,
    get: (path, parameters) => call("GET", path, parameters),
    post: (path, parameters, options) => call("POST", path, parameters, options?.orStatus),
  };
}

interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly parameters: Parameters;
  readonly encoding: (typeof encodings)[number];
}

function requestFor(
  { url, apiKey }: Access,
  { method, path, parameters, encoding }: Asked,
): [url: string, init: RequestInit] {
  const authorization = `Bearer ${apiKey}`;
  // Ids are opaque: they may hold what has a meaning in a URL.
  const pairs = new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [name, String(value)]),
  ).toString();
  if (method === "GET" || encoding === "query") {
    return [`${url}${path}?${pairs}`, { method, headers: { authorization } }];
  }
  const type = { json: "application/json", form: "application/x-www-form-urlencoded" }[encoding];
  const body = encoding === "json" ? JSON.stringify(parameters) : pairs;
  return [`${url}${path}`, { method, headers: { authorization, "content-type": type }, body }];
}

/** The simulated service has a clock of its own: nobody has to sleep. */
async function advanceClock({ url, fetch }: Access, by: number): Promise<void> {
  const answer = await fetch(`${url}/_sim/clock/advance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ by }),
  });
  if (!answer.ok) throw new Error(`the clock can't be moved: ${await answer.text()}`);
}

function list(value: unknown): readonly Record<string, unknown>[] {
  if (Array.isArray(value)) return value;
  throw new Error("a list is missing");
}

function text(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Error("a text is missing");
}

function amount(value: unknown): number {
  if (typeof value === "number" && value >= 0) return value;
  throw new Error("an amount is missing");
}
