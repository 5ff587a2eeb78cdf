/** How requests are read, where the oracle's campaigns don't send such ones. */

import { describe, expect, test } from "vitest";
import type { ApiRequest, ApiResponse } from "../../src/index.ts";
import { impressionIdIn, senderOf } from "../sender.ts";
import { read, type Stage, stageOf } from "./stage.ts";

/** An impression with this body and the publisher's key. */
function post(
  { send, publisher }: Stage,
  body: ApiRequest["body"],
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
): ApiResponse {
  const authorization = `Bearer ${publisher.apiKey}`;
  const request = { method: "POST", path: "/v1/impression", body };
  return send({ ...request, headers: { ...headers, authorization } });
}

const stage = stageOf();
const { shown } = stage;
const text = JSON.stringify(shown);
const bytes = (of: string): Uint8Array => new TextEncoder().encode(of);
const tooLong = { ...shown, session_id: "x".repeat(65_536) };

describe("a body", () => {
  test.each<[what: string, body: ApiRequest["body"], status: number]>([
    ["as text after a byte order mark", `\ufeff${text}`, 200],
    ["as bytes after a byte order mark", bytes(`\ufeff${text}`), 200],
    ["too long, as bytes", bytes(JSON.stringify(tooLong)), 413],
    ["too long, as an object", tooLong, 413],
  ])("%s", (_, body, status) => {
    expect(post(stage, body).status).toBe(status);
  });

  test.each([
    ["content-encoding", "identity", 200],
    ["Content-Encoding", " Identity", 200],
    ["content-encoding", "", 200],
    ["Content-Encoding", "br", 415],
    ["content-encoding", "identity, gzip", 415],
  ])("with %s: %j", (name, coding, status) => {
    const headers = { "Content-Type": "application/json", [name]: coding };
    const answer = read(post(stage, text, headers));
    expect(answer.status).toBe(status);
    if (status === 415) expect(answer.detail).toContain("Content-Encoding can't be read");
  });

  test("that is missing has no encoding", () => {
    const headers = {
      authorization: `Bearer ${stage.publisher.apiKey}`,
      "content-encoding": "gzip",
    };
    const request = { method: "POST", path: "/v1/impression", query: shown };
    expect(stage.send({ ...request, headers }).status).toBe(200);
  });

  test("that is an object is JSON, unless its sender gives another type", () => {
    const formed = stageOf({ "request.encoding": "form" });
    expect(formed.post("impression", formed.shown).status).toBe(415);
    expect(formed.last()?.request.headers["content-type"]).toBe("application/json");
    const type = { "content-type": "application/x-www-form-urlencoded" };
    expect(read(post(formed, formed.shown, type)).code).toBe("missing_parameter");
  });
});

test("a lone surrogate in an object query is answered", () => {
  const query = { publisher_id: "\ud800", "\udfff": "x" };
  expect(stage.send({ method: "GET", path: "/v1/publisher/stats", query }).status).toBe(404);
});

test.each([
  [5.5, "5.5"],
  [-2.25, "-2.25"],
  [1e-7, "0.0000001"],
  [-1.5e-9, "-0.0000000015"],
  [-0, "0"],
  [2 ** 53 - 1, "9007199254740991"],
])("under request.values=lenient the number %d is the text %s", (number, written) => {
  const { impression } = stageOf();
  const [first, again] = [number, written].map((ad_id) => impression({ ad_id, session_id: "s" }));
  expect(first?.status).toBe(200);
  expect(again?.body).toBe(first?.body.replace(/[\d.]+(?=\}$)/, "0"));
});

test.each([
  ["101", "100"],
  ["0101", "100"],
  ["9".repeat(400), "100"],
  [`${"0".repeat(100)}7`, "7"],
  ["+101", undefined],
  [" 101", undefined],
  ["101.0", undefined],
  ["-0", undefined],
])("under payout.limit-over-max=clamp the limit %s counts as %s", (limit, as) => {
  const ask = (sent: string): ApiResponse =>
    stageOf({ "payout.limit-over-max": "clamp" }).get("payouts", { limit: sent });
  if (as === undefined) expect(read(ask(limit)).parameter).toBe("limit");
  else expect(ask(limit)).toEqual(ask(as));
});

describe("ids.format", () => {
  test("digits: an id that went through a number is not found", () => {
    const { impression, post: send } = stageOf({ "ids.format": "digits" });
    const inNumber = Number(impressionIdIn(impression()));
    expect(send("click", { impression_id: String(inNumber) }).status).toBe(404);
    expect(send("click", { impression_id: inNumber }).status).toBe(400);
  });

  test("url-unsafe: an id is found only if it is escaped in a URL", () => {
    const { publisher, send } = stageOf({ "ids.format": "url-unsafe" });
    const ask = (id: string): number =>
      send({ method: "GET", path: `/v1/publisher/stats?publisher_id=${id}` }).status;
    expect(ask(encodeURIComponent(publisher.id))).toBe(200);
    expect(ask(publisher.id)).toBe(404);
  });
});

test("response.form=evolved: the seed decides the order of the members of equal bodies", () => {
  const orders = ["a", "b", "c", "d"].map((seed) => {
    const { sim } = stageOf({ "response.form": "evolved" }, { seed });
    // A new publisher's list is empty in every world.
    const { body } = senderOf(sim, sim.publishers.signUp()).get("payouts");
    return Object.keys(JSON.parse(body)).join();
  });
  expect(new Set(orders).size).toBeGreaterThan(1);
});
