/** What the answer to every error says, and in which form. The oracle proves which requests get which. */

import { describe, expect, test } from "vitest";
import type { ApiRequest, ApiResponse, Choice, Choices } from "../../src/index.ts";
import { type ErrorCode, errorBodies } from "../../src/spec/errors.ts";
import { impressionIdIn } from "../sender.ts";
import { exchange, serve } from "../server/raw.ts";
import { type Stage, stageOf } from "./stage.ts";

type Ask = (of: Stage) => ApiResponse;
/** `says`: a part of the detail. */
type Row = readonly [ask: Ask, says: string, parameter?: string | undefined, under?: Choices];

const path = "/v1/publisher/stats";
const FORM_TYPE = "application/x-www-form-urlencoded";

const statsWith = (query: ApiRequest["query"]): Ask => {
  return ({ send }) => send({ method: "GET", path, query });
};
const stats = (query: Readonly<Record<string, string>>): Ask => {
  return ({ get }) => get("stats", query);
};
const payouts = (limit: string): Ask => {
  return ({ get }) => get("payouts", { limit });
};
const shows = (fields: object): Ask => {
  return ({ impression }) => impression({ ...fields });
};
const click = (fields: object): Ask => {
  return ({ post }) => post("click", { ...fields });
};
const posts = (more: Omit<ApiRequest, "method" | "path">): Ask => {
  return ({ send, shown }) =>
    send({ method: "POST", path: "/v1/impression", query: shown, ...more });
};
/** An impression with just this body. */
const withBody = (body: ApiRequest["body"], type = "application/json"): Ask => {
  return ({ send, publisher }) => {
    const headers = { authorization: `Bearer ${publisher.apiKey}`, "content-type": type };
    return send({ method: "POST", path: "/v1/impression", headers, body });
  };
};
const withKey = (authorization: string): Ask => {
  return ({ sim }) => sim.handle({ method: "GET", path, headers: { authorization } });
};
const times = (count: number, ask: Ask): Ask => {
  return (of) => {
    for (let left = count; left > 1; left -= 1) ask(of);
    return ask(of);
  };
};
const clicked = (count: number, wait: string): Ask => {
  return (of) => {
    const impression_id = impressionIdIn(of.impression());
    of.sim.clock.advance(wait);
    return times(count, click({ impression_id }))(of);
  };
};
const foreign: Ask = ({ get, sim }) => get("stats", { publisher_id: sim.publishers.at(1).id });
const nobody = stats({ publisher_id: "nobody" });
const nowhere: Ask = ({ send }) => send({ method: "GET", path: "/v1/nowhere" });
const onPaused: Ask = ({ sim, publisher, impression, shown }) => {
  sim.publishers.setSurface(publisher.id, shown.surface, { status: "paused" });
  return impression();
};
const again = times(2, shows({ session_id: "s" }));

const strict = { "request.values": "strict" } as const;
const conflict = { "dedup.repeat": "conflict" } as const;
const perSession = { ...conflict, "dedup.key": "session" } as const;
const clickOnce = { "click.repeat": "conflict" } as const;
const clickSoon = { "click.window": "24h" } as const;
const encoded = (as: Choice<"request.encoding">) => ({ "request.encoding": as });
const statsOnly = { "limit.reporting-endpoints": "stats-only" } as const;
const separate = { "limit.recording-pool": "separate" } as const;
const spelling = (sent: string): string => `You sent ${sent}; the name is spelled publisher_id.`;
const long = `${"a".repeat(59)}…`;

/** Only a server gives those without a row. */
const refusals: Readonly<Record<ErrorCode, readonly Row[]>> = {
  malformed_request: [
    [({ send }) => send({ method: 5 as never, path }), "method must be a string"],
  ],
  missing_parameter: [
    [statsWith({}), "publisher_id is required.", "publisher_id"],
    [withBody(""), "publisher_id is required.", "publisher_id"],
    [click({}), "impression_id is required: the impression_id returned by", "impression_id"],
    [statsWith({ publisherId: "1" }), spelling("publisherId"), "publisher_id"],
    [statsWith({ "publisher_id[]": "1" }), spelling("publisher_id[]"), "publisher_id"],
    [statsWith({ "publisher_id💩": "1" }), spelling("publisher_id💩"), "publisher_id"],
    [withBody('{"a":1}', FORM_TYPE), "looks like JSON but was read as a form", "publisher_id"],
  ],
  invalid_parameter: [
    [shows({ ad_id: "" }), "ad_id must not be empty.", "ad_id"],
    [shows({ ad_id: true }), "ad_id must be a string.", "ad_id"],
    [shows({ ad_id: "\ud800" }), "must not contain control characters or lone", "ad_id"],
    [shows({ ad_id: 2 ** 53 }), "too large to read exactly; send it as a string", "ad_id"],
    [shows({ ad_id: 1 }), "ad_id must be a string.", "ad_id", strict],
    [stats({ from: "2026-02-29" }), "a date that exists; 2026-02-29 does not exist", "from"],
    [stats({ to: "today" }), "to must be a date written YYYY-MM-DD.", "to"],
    [stats({ from: "2026-01-16" }), "2026-01-16 is after 2026-01-15 (the default)", "from"],
    [stats({ to: "2025-01-01" }), "2025-12-16 (the default) is after 2025-01-01", "to"],
    [stats({ from: "2025-12-02", to: "2025-12-01" }), "2025-12-02 is after 2025-12-01", "from"],
    [payouts("101"), "limit must be a whole number from 1 to 100; 101 is not.", "limit"],
    [payouts("1e3"), "limit must be a whole number from 1 to 100.", "limit"],
    // It isn't repeated, since it may be an id.
    [payouts("9".repeat(16)), "limit must be a whole number from 1 to 100.", "limit"],
    [statsWith("a[]=%ff"), "a[] is not valid percent-encoded UTF-8.", "a[]"],
    [statsWith("%ff=1"), "The name of a parameter in the query is not valid", "query"],
    [posts({ query: "a=%zz" }), "a is not valid percent-encoded UTF-8.", "a", encoded("json")],
  ],
  duplicate_parameter: [
    [statsWith("from=1&from=1"), "from was sent more than once in the query.", "from"],
    [posts({ body: { ad_id: "a" } }), "more than once in the query and in the body.", "ad_id"],
    [withBody("ad_id=a&ad_id=b", FORM_TYPE), "more than once in the form. Send it once.", "ad_id"],
  ],
  unknown_parameter: [
    [stats({ a: "1" }), "a is unknown. This operation has: publisher_id, from, to", "a", strict],
    [click({ ["a".repeat(100)]: 1 }), `${long} is unknown. This`, long, strict],
    [click({ "": 1 }), "A parameter without a name is unknown.", "", strict],
  ],
  malformed_body: [
    [withBody("{"), "The body is not valid JSON."],
    [withBody("[]"), "The JSON body must be an object whose members are the parameters."],
    [withBody(Uint8Array.of(0xff)), "The body is not valid UTF-8."],
    [withBody("%ff=1", FORM_TYPE), "The name of a parameter in the form is not valid", "form"],
  ],
  unauthorized: [
    [withKey(""), "Send the API key of a publisher as a header: Authorization: Bearer <API_KEY>."],
    [withKey("Bearer x"), "The API key is unknown, or was replaced by a new one."],
  ],
  foreign_publisher: [[foreign, "The API key works only for its own publisher.", "publisher_id"]],
  route_not_found: [[nowhere, "The operations are: GET /v1/publisher/stats, POST /v1/impression,"]],
  publisher_not_found: [[nobody, "is not the identifier of a publisher.", "publisher_id"]],
  surface_not_found: [
    [stats({ surface: "x" }), "GET /v1/publisher/surfaces lists the ids.", "surface"],
    [shows({ surface: "x" }), "not the id of a surface of this publisher.", "surface"],
  ],
  impression_not_found: [
    [click({ impression_id: "x" }), "an impression of this publisher.", "impression_id"],
  ],
  method_not_allowed: [
    [({ send }) => send({ method: "PUT", path }), `${path} supports only GET and HEAD.`],
  ],
  request_timeout: [],
  surface_inactive: [[onPaused, "Impressions are recorded only on active surfaces.", "surface"]],
  duplicate_impression: [
    [again, "The same ad was shown in this session before.", "session_id", conflict],
    [again, "An ad was shown in this session before.", "session_id", perSession],
  ],
  duplicate_click: [
    [clicked(2, "1s"), "A click on this impression was recorded", "impression_id", clickOnce],
  ],
  click_too_late: [
    [clicked(1, "24h"), "recorded too long ago for a click", "impression_id", clickSoon],
  ],
  body_too_large: [[withBody("x".repeat(65_537)), "The body is larger than 65536 bytes"]],
  query_too_long: [[statsWith(`a=${"x".repeat(8191)}`), "8193 characters; the maximum is 8192"]],
  unsupported_media_type: [
    [withBody("a", "text/plain"), `application/json, as ${FORM_TYPE}, or in the query.`],
    [posts({}), "in the body, as application/json, and none", undefined, encoded("json")],
    [posts({}), `in the body, as ${FORM_TYPE}, and none`, undefined, encoded("form")],
    [withBody({}), "Send parameters in the query, and no body.", undefined, encoded("query")],
    [withBody("{}", "application/json; charset=latin1"), "The body must be in UTF-8."],
  ],
  rate_limited: [
    [
      times(61, stats({})),
      "More than 60 stats and reporting requests with this API key in a minute",
    ],
    [times(61, stats({})), "60 stats requests with this API key in a minute", undefined, statsOnly],
    [times(10_001, click({})), "10,000 impression and click requests of this publisher"],
    [times(10_001, click({})), "10,000 click requests of this publisher", undefined, separate],
  ],
  headers_too_large: [],
};

const rows = Object.entries(refusals).flatMap(([code, of]) =>
  of.map((row) => [code, row[1], row] as const),
);

test.each(rows)("%s: %s", (code, says, [ask, , parameter, under]) => {
  const stage = stageOf(under);
  const { body } = ask(stage);
  const problem = JSON.parse(body);
  expect(problem).toMatchObject({ type: `urn:adsim:error:${code}`, code });
  expect(problem.detail).toContain(says);
  expect(problem.parameter).toBe(parameter);
  expect(stage.last()).toMatchObject({ reason: code, response: { body } });
});

describe("errors.body", () => {
  const message = "publisher_id is not the identifier of a publisher.";
  const error = { code: "publisher_not_found", message, parameter: "publisher_id" };
  const title = "There is no such publisher";
  const problem = {
    type: "urn:adsim:error:publisher_not_found",
    title,
    status: 404,
    detail: message,
    code: error.code,
    parameter: error.parameter,
  };
  const page =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>` +
    `<body><h1>${title}</h1><p>${message}</p></body></html>`;
  const forms: Readonly<Record<Choice<"errors.body">, readonly [string | undefined, unknown]>> = {
    problem: ["application/problem+json", problem],
    envelope: ["application/json", { error }],
    flat: ["application/json", { error: message }],
    list: ["application/json", { errors: [error] }],
    text: ["text/plain; charset=utf-8", message],
    html: ["text/html; charset=utf-8", page],
    empty: [undefined, ""],
  };

  test.each(Object.entries(forms))("%s: also for what isn't HTTP", async (form, [type, wanted]) => {
    // An object's own names are its keys.
    const assumptions = { "errors.body": form as Choice<"errors.body"> };
    const { headers, body } = nobody(stageOf(assumptions));
    expect(headers["content-type"]).toBe(type);
    expect(body).toBe(typeof wanted === "string" ? wanted : JSON.stringify(wanted));
    await using server = await serve({ assumptions });
    const { responses } = await exchange(server.port, "GET / HTTP/1.1\r\nbroken\r\n\r\n");
    expect(responses[0]?.status).toBe(400);
    expect(responses[0]?.headers["content-type"]).toBe(type);
    expect(responses[0]?.body === "").toBe(form === "empty");
  });

  test("html shows any detail as text", () => {
    const detail = `<script>alert("&")</script>`;
    const page = errorBodies.html.write({ code: "invalid_parameter", detail }, 400);
    expect(page).toContain("<p>&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;</p>");
  });
});
