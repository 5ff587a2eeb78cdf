/** Ways to be wrong that are wired in around a client: into its fetch, or into the methods of its driver. */

import type { CreateDriver, DriverContext } from "../../../src/testing/driver/driver.ts";
import type { ClientChanges } from "../../client/reference-driver.ts";

/** A client with such a change. */
export function changedClient(
  createDriver: CreateDriver,
  { context: wrap, driver: change }: ClientChanges,
): CreateDriver {
  return async (given) => {
    const context = { ...given, ...wrap?.(given) };
    const driver = await createDriver(context);
    return { ...driver, ...change?.(driver, context) };
  };
}

interface Outgoing {
  url: string;
  readonly headers: Record<string, string>;
  /** Null if all is in the URL. */
  body: BodyInit | null;
}

/** Sends another request than the client meant to. */
export function sending(
  change: (request: Outgoing, context: DriverContext) => void,
): ClientChanges {
  return {
    context: (context) => ({
      async fetch(url, init) {
        const headers = Object.fromEntries(new Headers(init?.headers));
        const request: Outgoing = { url: String(url), headers, body: init?.body ?? null };
        change(request, context);
        return await context.fetch(request.url, { ...init, headers, body: request.body });
      },
    }),
  };
}

type Values = Record<string, unknown>;

/** Sends other values with an event, in whatever encoding. */
function sendingValues(
  operation: "impression" | "click",
  change: (values: Values, context: DriverContext) => Values,
): ClientChanges {
  return sending((request, context) => {
    const [path = "", query = ""] = request.url.split("?");
    const { body } = request;
    if (!path.endsWith(`/${operation}`)) return;
    if (typeof body === "string" && body.startsWith("{")) {
      request.body = JSON.stringify(change(JSON.parse(body), context));
      return;
    }
    const given = Object.fromEntries(new URLSearchParams(body === null ? query : String(body)));
    const encoded = new URLSearchParams();
    for (const [name, value] of Object.entries(change(given, context)))
      if (value !== undefined) encoded.set(name, String(value));
    if (body === null) request.url = `${path}?${encoded}`;
    else request.body = encoded.toString();
  });
}

/** Sends other values with a view. */
export const viewing = (change: Parameters<typeof sendingValues>[1]): ClientChanges =>
  sendingValues("impression", change);

/** Sends another value of this name with a view; none if it becomes undefined. */
export const viewingWith = (
  name: "ad_id" | "session_id" | "publisher_id",
  change: (value: string, context: DriverContext) => unknown,
): ClientChanges =>
  viewing((values, context) => ({ ...values, [name]: change(String(values[name]), context) }));

/** Sends another id with a click. */
export const clicking = (change: (id: string) => string): ClientChanges =>
  sendingValues("click", ({ impression_id }) => ({ impression_id: change(String(impression_id)) }));

interface Incoming {
  status: number;
  readonly headers: Headers;
  text: string;
}

/** Reads another answer than the one that came. */
export function receiving(change: (answer: Incoming) => void): ClientChanges {
  return {
    context: (context) => ({
      async fetch(url, init) {
        const response = await context.fetch(url, init);
        const headers = new Headers(response.headers);
        const answer = { status: response.status, headers, text: await response.text() };
        change(answer);
        const { status, text } = answer;
        return new Response(status === 204 ? null : text, { status, headers });
      },
    }),
  };
}

/** Reads another `Retry-After`; none if it becomes undefined. */
export function waiting(change: (seconds: number) => number | undefined): ClientChanges {
  return receiving(({ headers }) => {
    const text = headers.get("retry-after");
    if (text === null) return;
    const seconds = change(Number(text));
    if (seconds === undefined) headers.delete("retry-after");
    else headers.set("retry-after", String(seconds));
  });
}

/** Reads other members in answers with status 200. */
export function reading(change: (body: Values) => void): ClientChanges {
  return receiving((answer) => {
    const body = answer.status === 200 ? jsonOf(answer.text) : undefined;
    if (typeof body !== "object" || body === null || Array.isArray(body)) return;
    change(body as Values);
    answer.text = JSON.stringify(body);
  });
}

/** Reads another value for a member. An event's answer has it even if it doesn't come. */
export function member(
  names: readonly string[],
  change: (value: unknown) => unknown,
): ClientChanges {
  return reading((body) => {
    for (const name of names) if (name in body || "ok" in body) body[name] = change(body[name]);
  });
}

type Method = "stats" | "surfaces" | "payouts";

interface Query {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly surface?: string | undefined;
  readonly limit?: number | undefined;
}

/** Calls a method with another query. */
export function asking(
  name: Method,
  change: (query: Query, context: DriverContext) => Query,
): ClientChanges {
  return {
    driver: ({ [name]: ask }, context) => ({
      [name]: async (query: Query) => await ask?.(change(query, context)),
    }),
  };
}

/** Returns something else than what a method resolves with. */
export function answering(
  name: Method,
  change: (answer: never, query: Query) => unknown,
): ClientChanges {
  return {
    driver: ({ [name]: ask }) => ({
      [name]: async (query: Query) => change((await ask?.(query)) as never, query),
    }),
  };
}

/** Does this with every call of the driver. */
export function calling(
  call: (act: () => Promise<unknown>, context: DriverContext) => Promise<unknown>,
): ClientChanges {
  const names = ["impression", "click", "stats", "surfaces", "payouts"] as const;
  return {
    driver(driver, context) {
      const act = (name: (typeof names)[number]) => async (given: never) =>
        await call(async () => await driver[name]?.(given), context);
      return Object.fromEntries(names.map((name) => [name, act(name)]));
    },
  };
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The day of this moment, or so many milliseconds later. */
export const dayAfter = (day: string | number, ms: number): string =>
  new Date(new Date(day).getTime() + ms).toISOString().slice(0, 10);

/** A good answer to any event. */
export const event = { ok: true, impression_id: "x", click_id: "x", revenue_credited_inr: 0 };
