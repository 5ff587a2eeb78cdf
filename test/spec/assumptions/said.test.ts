/** What the catalogue says beyond the plain meaning of its choices, each sentence with a request that shows it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  createSimulator,
  type Publisher,
  type Simulator,
  type SimulatorOptions,
} from "../../../src/index.ts";
import {
  type Assumption,
  type AssumptionKey,
  type Assumptions,
  catalogue,
} from "../../../src/spec/assumptions/catalogue.ts";
import { impressionIdIn, type Sender, senderOf } from "../../sender.ts";

interface Stage extends Sender {
  readonly sim: Simulator;
  readonly publisher: Publisher;
}

function stageOf(
  assumptions: Partial<Assumptions>,
  options: Omit<SimulatorOptions, "assumptions"> = {},
): Stage {
  const sim = createSimulator({ ...options, assumptions });
  const publisher = sim.publishers.at(0);
  return { ...senderOf(sim, publisher), sim, publisher };
}

/** The status and the members of an answer. */
function read({
  status,
  body,
}: {
  status: number;
  body: string;
}): Readonly<Record<string, unknown>> {
  return { status, ...JSON.parse(body) };
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** An impression with this body, or the publisher's usual one, and this type and query. */
function sendText(
  { publisher, send }: Stage,
  { body, type, query = "" }: { body?: string; type?: string; query?: string },
): Readonly<Record<string, unknown>> {
  const surface = publisher.surfaces[0]?.id ?? "";
  const fields = { publisher_id: publisher.id, surface, ad_id: "ad" };
  const usual =
    type === FORM_TYPE ? new URLSearchParams(fields).toString() : JSON.stringify(fields);
  const headers: Record<string, string> = { authorization: `Bearer ${publisher.apiKey}` };
  if (type !== undefined) headers["content-type"] = type;
  const request: ApiRequest = { method: "POST", path: "/v1/impression", query };
  return read(send({ ...request, headers, body: body ?? usual }));
}

function remaining({ headers }: { headers: Readonly<Record<string, string>> }): number {
  return Number(headers["x-ratelimit-remaining"]);
}

function payoutsOf(stage: Stage): readonly Readonly<Record<string, unknown>>[] {
  return JSON.parse(stage.get("payouts", { limit: 100 }).body).payouts;
}

interface Said {
  readonly key: AssumptionKey;
  /** Part of the key's text. */
  readonly says: string;
  readonly shows: () => void;
}

const requests: readonly Said[] = [
  {
    key: "request.values",
    says: "An empty parameter is invalid, even an optional one. JSON null is empty, like an empty string.",
    shows() {
      const { impression, get } = stageOf({});
      const [empty, nothing] = ["", null].map((session_id) => impression({ session_id }));
      expect([empty?.status, nothing?.status]).toEqual([400, 400]);
      expect(get("stats", { surface: "" }).status).toBe(400);
    },
  },
  ...(["json", "form"] as const).map((encoding): Said => {
    const type = encoding === "json" ? JSON_TYPE : FORM_TYPE;
    return {
      key: "request.encoding",
      says: "If it has a parameter twice, the request gets 400 (422 under errors.invalid=422), not 415.",
      shows() {
        const stage = stageOf({ "request.encoding": encoding });
        const [once, twice] = ["ad_id=a", "ad_id=a&ad_id=b"].map((query) =>
          sendText(stage, { type, query }),
        );
        expect([once?.status, twice?.status]).toEqual([415, 400]);
        expect(twice).toMatchObject({ code: "duplicate_parameter" });
        const other = sendText(stage, { type: "text/plain", query: "ad_id=a&ad_id=b" });
        expect(other.status).toBe(400);
        const strict = stageOf({ "request.encoding": encoding, "errors.invalid": "422" });
        expect(sendText(strict, { type, query: "ad_id=a&ad_id=b" }).status).toBe(422);
      },
    };
  }),
  ...(["any", "json", "form"] as const).map((encoding): Said => {
    const type = encoding === "form" ? "a form" : "JSON";
    return {
      key: "request.encoding",
      says: `A body without Content-Type is read as ${type}.`,
      shows() {
        const stage = stageOf({ "request.encoding": encoding });
        const form = sendText(stage, { body: "ad_id=" });
        const json = sendText(stage, { body: '{"ad_id":""}' });
        const missing = { status: 400, code: "missing_parameter", parameter: "publisher_id" };
        expect(encoding === "form" ? form : json).toMatchObject(missing);
        if (encoding !== "form") expect(form).toMatchObject({ code: "malformed_body" });
        const pairs = `publisher_id=${stage.publisher.id}&surface=s&ad_id=a`;
        expect(sendText(stage, { body: pairs }).status).toBe(encoding === "form" ? 404 : 400);
      },
    };
  }),
  {
    key: "errors.invalid",
    says: "A request or body that can't be parsed still gets 400.",
    shows() {
      const stage = stageOf({ "errors.invalid": "422" });
      for (const body of ["{", "[]", "null"]) {
        expect(sendText(stage, { type: JSON_TYPE, body })).toMatchObject({
          status: 400,
          code: "malformed_body",
        });
      }
      // A program without types may give anything.
      const broken = { method: 5, path: "/v1/impression" } as unknown as ApiRequest;
      expect(stage.sim.handle(broken).status).toBe(400);
    },
  },
  {
    key: "errors.invalid",
    says: "A parameter that is missing, is sent twice or is refused as unknown gets the same status. For an unknown surface or impression, see surface.unknown and click.unknown.",
    shows() {
      const stage = stageOf({
        "errors.invalid": "422",
        "request.values": "strict",
        "surface.unknown": "400",
        "click.unknown": "400",
      });
      expect(stage.impression({ ad_id: undefined }).status).toBe(422);
      expect(sendText(stage, { type: JSON_TYPE, query: "ad_id=twice" }).status).toBe(422);
      expect(stage.impression({ colour: "red" }).status).toBe(422);
      expect(stage.impression({ surface: "nowhere" }).status).toBe(400);
      expect(stage.post("click", { impression_id: "nothing" }).status).toBe(400);
    },
  },
  {
    key: "auth.key-scope",
    says: "An impression or click counts against the limit of the publisher that it is for. One that is invalid, or names nothing that exists, counts against the limit of the publisher that owns the key. A GET request always counts against the limit of the key.",
    shows() {
      const { sim, post, get, impression } = stageOf({ "auth.key-scope": "any" });
      const other = sim.publishers.at(1);
      const itself = senderOf(sim, other);
      const sent = { publisher_id: other.id, surface: other.surfaces[0]?.id };
      const shown = impression(sent);
      const click = post("click", { impression_id: impressionIdIn(shown) });
      expect([shown, click].map(remaining)).toEqual([9999, 9998]);
      expect(remaining(itself.impression())).toBe(9997);
      const strays = [
        impression({ ...sent, ad_id: "" }),
        impression({ ...sent, publisher_id: "nobody" }),
        post("click", { impression_id: "nothing" }),
      ];
      expect(strays.map(remaining)).toEqual([9999, 9998, 9997]);
      expect(remaining(get("stats", { publisher_id: other.id }))).toBe(59);
      expect(remaining(itself.get("stats"))).toBe(59);
    },
  },
];

const events: readonly Said[] = [
  {
    key: "surface.inactive",
    says: "409 Conflict, even if it repeats one that counted.",
    shows() {
      for (const repeat of ["original-uncredited", "replay", "conflict", "count"] as const) {
        const { sim, publisher, impression } = stageOf({ "dedup.repeat": repeat });
        expect(impression({ session_id: "s" }).status).toBe(200);
        const surface = publisher.surfaces[0]?.id ?? "";
        sim.publishers.setSurface(publisher.id, surface, { status: "paused" });
        expect(read(impression({ session_id: "s" }))).toMatchObject({
          status: 409,
          code: "surface_inactive",
        });
      }
    },
  },
  {
    key: "surface.inactive",
    says: "It is recorded with 0 credited. A click on it earns as usual.",
    shows() {
      const { sim, publisher, impression, post } = stageOf({ "surface.inactive": "uncredited" });
      const click = (): unknown => {
        const shown = impression();
        const { revenue_credited_inr } = read(
          post("click", { impression_id: impressionIdIn(shown) }),
        );
        return [read(shown).revenue_credited_inr === 0, revenue_credited_inr];
      };
      const [, usual] = click() as [boolean, number];
      expect(usual).toBeGreaterThan(0);
      const surface = publisher.surfaces[0]?.id ?? "";
      sim.publishers.setSurface(publisher.id, surface, { status: "paused" });
      expect(click()).toEqual([true, usual]);
    },
  },
  {
    key: "click.window",
    says: "A click that is too late gets 410 even if it repeats one that counted.",
    shows() {
      for (const repeat of ["original-uncredited", "replay", "conflict", "count"] as const) {
        const stage = stageOf({ "click.window": "24h", "click.repeat": repeat });
        const impression_id = impressionIdIn(stage.impression());
        expect(stage.post("click", { impression_id }).status).toBe(200);
        stage.sim.clock.advance("24h");
        expect(stage.post("click", { impression_id }).status).toBe(410);
      }
    },
  },
  {
    key: "dedup.key",
    says: "An impression without a session is never a duplicate.",
    shows() {
      for (const key of ["surface-ad-session", "session"] as const) {
        const { impression } = stageOf({ "dedup.key": key });
        expect(impressionIdIn(impression())).not.toBe(impressionIdIn(impression()));
      }
    },
  },
];

/** The statuses of five publishers' payouts of 2026-01-07, each with the days since the payout's date from which it had it. */
function coursesOf(sim: Simulator): string[] {
  const courses = sim.publishers.list({ limit: 5 }).map((): string[] => []);
  for (let age = 0; age < 60; age += 1) {
    for (const [place, course] of courses.entries()) {
      const { get } = senderOf(sim, sim.publishers.at(place));
      const { payouts } = JSON.parse(get("payouts").body);
      const { status } = payouts.find(({ date }: { date: string }) => date === "2026-01-07");
      if (course.at(-1)?.endsWith(` ${status}`) !== true) course.push(`${age} ${status}`);
    }
    sim.clock.advance("1d");
  }
  return courses.map((course) => course.join(", "));
}

const money: readonly Said[] = [
  {
    key: "payout.statuses",
    says: "A payout is `processing` for 3 days; then it is `paid`, `on_hold` or `failed`. A payout on hold is paid 42 days after its date, and a failed one 27 days after. Some that were paid are `reversed` after 15 days, for good.",
    shows() {
      // The latest month of the seeded history is paid on this day.
      const { sim } = stageOf({ "payout.statuses": "extended" }, { start: "2026-01-06T00:00:00Z" });
      sim.clock.advance("1d");
      expect([...new Set(coursesOf(sim))].sort()).toEqual([
        "0 processing, 3 failed, 25 processing, 27 paid",
        "0 processing, 3 on_hold, 40 processing, 42 paid",
        "0 processing, 3 paid",
        "0 processing, 3 paid, 15 reversed",
      ]);
    },
  },
  {
    key: "payout.statuses",
    says: "pending_inr never includes a payout that is listed, whatever its status.",
    shows() {
      const pending = (statuses: "documented" | "extended"): unknown[] =>
        [0, 1, 2, 3].map((month) => {
          const stage = stageOf({ "payout.statuses": statuses });
          stage.sim.clock.advance(`${month * 9}d`);
          const { payouts, pending_inr } = read(stage.get("payouts", { limit: 100 }));
          return [(payouts as unknown[]).length, pending_inr];
        });
      expect(pending("extended")).toEqual(pending("documented"));
    },
  },
  {
    key: "payout.statuses",
    says: "A `reversed` payout was paid, and keeps its txn_id.",
    shows() {
      const stage = stageOf(
        { "payout.statuses": "extended-without-txn" },
        { start: "2026-02-08T00:00:00Z" },
      );
      const reversed = stage.sim.publishers
        .list({ limit: 5 })
        .flatMap((one) => payoutsOf({ ...stage, ...senderOf(stage.sim, one) }))
        .filter(({ status }) => status === "reversed");
      expect(reversed.length).toBeGreaterThan(0);
      for (const { txn_id } of reversed) expect(txn_id).toMatch(/^txn_/);
    },
  },
  {
    key: "stats.today",
    says: "pending_inr includes it at once.",
    shows() {
      const { impression, get } = stageOf({ "stats.today": "next-day" });
      const figures = (): unknown[] => [
        read(get("payouts")).pending_inr,
        read(get("stats")).revenue_inr,
      ];
      const [pending, revenue] = figures();
      impression();
      expect(figures()[0]).toBeGreaterThan(Number(pending));
      expect(figures()[1]).toBe(revenue);
    },
  },
];

describe.each([...requests, ...events, ...money])("$key says: $says", ({ key, says, shows }) => {
  test("in these words", () => {
    const { choices, note = "" }: Assumption = catalogue[key];
    expect([...Object.values(choices), note].join("\n")).toContain(says);
  });

  test("and the answers agree", shows);
});

describe("the limit of a request's size", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/assumptions.md"), "utf8");
  const full = "x".repeat(65_536);

  test("is documented on the page of assumptions", () => {
    expect(page).toContain("A body of more than 65,536 bytes (64 KiB) gets 413");
    expect(page).toMatch(/a query\s+of more than 8,192 characters gets 414/);
  });

  test.each([
    ["text", full],
    ["UTF-8", "é".repeat(32_768)],
  ])("gives 413 above 64 KiB of %s, even where the Content-Type would get 415", (_, body) => {
    const stage = stageOf({});
    expect(sendText(stage, { type: "text/plain", body }).status).toBe(415);
    expect(sendText(stage, { type: "text/plain", body: `${body}x` }).status).toBe(413);
    expect(sendText(stage, { type: JSON_TYPE, body: `${body}x` }).status).toBe(413);
  });

  test("also applies to a body with GET, and a query that is too long gets 414", () => {
    const { publisher, send, get } = stageOf({});
    const path = "/v1/publisher/surfaces";
    const query = { publisher_id: publisher.id };
    expect(send({ method: "GET", path, query, body: full }).status).toBe(200);
    expect(send({ method: "GET", path, query, body: `${full}x` }).status).toBe(413);
    const filling = 8192 - new URLSearchParams({ ...query, pad: "" }).toString().length;
    expect(get("surfaces", { pad: "x".repeat(filling) }).status).toBe(200);
    expect(get("surfaces", { pad: "x".repeat(filling + 1) }).status).toBe(414);
  });

  test("is checked after the key and the rate limit, and costs quota", () => {
    const { sim, publisher, send } = stageOf({});
    const request = { method: "POST", path: "/v1/click", body: `${full}x` };
    expect(sim.handle(request).status).toBe(401);
    const refused = send(request);
    expect([refused.status, remaining(refused)]).toEqual([413, 9999]);
    for (let sent = 0; sent < 10_000; sent += 1) senderOf(sim, publisher).impression();
    expect(send(request).status).toBe(429);
  });
});
