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
  await post("/v1/impression", shown, 409);
  await post("/v1/impression", { ...shown, ad_id: "ad-2", session_id: "session-2" });
  amount((await post("/v1/click", { impression_id: impressionId })).revenue_credited_inr);
  // A second click is answered in many ways. None of them is this client's business.
  await post("/v1/click", { impression_id: impressionId }, 409);

  const refused = await send("POST", "/v1/impression", { surface });
  if (refused.status < 400 || refused.status > 499) throw new Error("a wrong request passed");
  habits.readError(refused.text);

  // The spec documents these fields (part 2).
  const { payouts } = await get("/v1/publisher/payouts", { ...publisher, limit: 50 });
  for (const payout of list(payouts) as unknown as readonly Payout[]) habits.paidAmount(payout);

  // A dashboard that reloads too often. The caller waits where it is told to.
  for (let reload = 0; reload < 70; reload += 1) await get("/v1/publisher/stats", publisher);

  await advanceClock(access, 36 * 60 * 60 * 1000);
  const period = before.period as { readonly from: string };
  const after = await get("/v1/publisher/stats", { ...publisher, from: period.from });
  // Some services show a day's figures on the next day.
  const added = amount(after.impressions) - amount(before.impressions);
  if (added < 2) throw new Error(`2 impressions were recorded, and ${added} are reported`);
}

const encodings = ["json", "form", "query"] as const;
type Encoding = (typeof encodings)[number];
const MAX_WAITS = 10;

/** Sends requests, in the encoding that the service understands, and again after a wait where it has to. */
function createCaller(habits: Habits, access: Access) {
  let encoding: Encoding = "json";

  async function send(method: string, path: string, parameters: Parameters): Promise<Answer> {
    for (let waits = 0; waits < MAX_WAITS; ) {
      const [url, init] = requestFor(access, encoding, method, parameters);
      const answer = await access.fetch(`${access.url}${path}${url}`, init);
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

  /** @throws Error for an answer that is neither 200 nor `orStatus`. */
  async function call(method: string, path: string, parameters: Parameters, orStatus = 200) {
    const { status, text: body } = await send(method, path, parameters);
    if (status === 200) return JSON.parse(body) as Record<string, unknown>;
    if (status === orStatus) return {};
    throw new Error(`${method} ${path}: ${status}: ${habits.readError(body)}`);
  }

  return {
    send,
    get: (path: string, parameters: Parameters) => call("GET", path, parameters),
    post: (path: string, parameters: Parameters, orStatus?: number) =>
      call("POST", path, parameters, orStatus),
  };
}

/** What comes behind the path, and the rest of the request. */
function requestFor(
  { apiKey }: Access,
  encoding: Encoding,
  method: string,
  parameters: Parameters,
): [query: string, init: RequestInit] {
  const authorization = `Bearer ${apiKey}`;
  // Ids are opaque: they may hold what has a meaning in a URL.
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
  const pairs = new URLSearchParams(texts).toString();
  if (method === "GET" || encoding === "query") {
    return [`?${pairs}`, { method, headers: { authorization } }];
  }
  const type = { json: "application/json", form: "application/x-www-form-urlencoded" }[encoding];
  const body = encoding === "json" ? JSON.stringify(parameters) : pairs;
  return ["", { method, headers: { authorization, "content-type": type }, body }];
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
