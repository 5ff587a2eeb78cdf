/** `adsim record FILE`: a recording of any kind becomes a scenario that plays. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import type { Scenario } from "../../src/play/scenario/types.ts";
import { impressionIdOf, senderOf } from "../operation-sender.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

/** The scenario that `record` prints for a file with this text. */
async function recorded(text: string, ...options: readonly string[]): Promise<Scenario> {
  const { stdout, stderr, code } = await runAdsim(["record", fileOf(text), ...options]);
  expect(`${code} ${stderr}`).toBe("0 ");
  return JSON.parse(stdout);
}

async function playedBy(scenario: Scenario): Promise<string> {
  return (await runAdsim(["play", fileOf(scenario, "s.json")])).stdout;
}

const JSON_TYPE = { "content-type": "application/json" };

/** What a client did at a simulator: two publishers, a repeat, a click, a wrong key, and a minute in between. */
function session(): Simulator {
  const assumptions = { "dedup.repeat": "conflict" } as const;
  const sim = createSimulator({ seed: "recorded", publishers: 3, assumptions });
  const [one, other] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
  const impressionId = impressionIdOf(one.impression("s"));
  one.impression("s");
  sim.clock.advance("1m");
  one.click(impressionId);
  other.impression();
  senderOf(sim, { ...other.publisher, apiKey: "key_of_nobody" }).stats();
  other.payouts();
  return sim;
}

test.each([
  ["a journal as NDJSON", (sim: Simulator) => sim.journal.toNdjson()],
  ["a HAR of adsim", (sim: Simulator) => sim.journal.toHar()],
])("%s becomes a scenario in the recorded world, without a key or an id", async (_, textOf) => {
  const sim = session();
  const scenario = await recorded(textOf(sim));
  const assumptions = { "dedup.repeat": "conflict" };
  expect(scenario).toMatchObject({ seed: "recorded", publishers: 3, assumptions });
  const statuses = scenario.steps.flatMap((step) =>
    "expect" in step ? [Object(step.expect).status] : [],
  );
  expect(statuses).toEqual([200, 409, 200, 200, 401, 200]);
  expect(await playedBy(scenario)).toMatch(/^✓ passed /);
  for (const { id, apiKey } of [sim.publishers.at(0), sim.publishers.at(1)])
    for (const own of [id, apiKey]) expect(JSON.stringify(scenario)).not.toContain(own);
});

test("a journal with invalid settings is refused, and one with odd requests leaves these out", async () => {
  const ndjson = session().journal.toNdjson();
  const wrong = fileOf(ndjson.replaceAll('"publishers":3', '"publishers":0'));
  const { code, stderr } = await runAdsim(["record", wrong]);
  expect(`${code} ${stderr}`).toContain(
    `3 adsim: ${wrong} can't become a scenario: publishers mus`,
  );
  const odd = [
    ndjson.replace('"path":"/v1/impression"', '"path":"/ü"'),
    ndjson.replace('"headers":{', '"headers":{"x-name":"Zoé",'),
  ];
  for (const text of odd) {
    const { stderr } = await runAdsim(["record", fileOf(text)]);
    expect(stderr).toContain("1 request, because a scenario can't");
  }
});

test("raw requests keep ids, and expect nothing if the ids are of a publisher that signed up", async () => {
  const sim = createSimulator({ seed: "signed", publishers: 2 });
  sim.publishers.signUp({ name: "Somebody else" });
  const sender = senderOf(sim, sim.publishers.signUp({ name: "Mine" }));
  const impression_id = impressionIdOf(sender.impression());
  sender.click(impression_id);
  const headers = { ...JSON_TYPE, authorization: `Bearer ${sender.publisher.apiKey}` };
  const ofUnknown = [{ impression_id, colour: "red" }, { publisher_id: sender.publisher.id }];
  const bodies = ofUnknown.map((values) => JSON.stringify(values));
  for (const body of bodies) sim.handle({ method: "POST", path: "/v1/click", headers, body });
  const scenario = await recorded(sim.journal.toNdjson());
  const note = expect.stringContaining("It has ids of the recorded world");
  expect(scenario.steps).toMatchObject([
    { signUp: { surfaces: ["Surface 1"] } },
    { impression: { surface: { ref: "publisher-1.surfaces.0.id" } }, as: "impression-1" },
    { click: { impression_id: { ref: "impression-1.impression_id" } }, expect: { status: 200 } },
    { raw: { body: bodies[0] }, note },
    { raw: { body: bodies[1] }, note },
  ]);
  expect(scenario.steps[3]).not.toHaveProperty("expect");
});

/** An entry as a browser or a proxy records it. */
function harEntry(at: string, target: string, more: Partial<Sent> = {}) {
  const [method = "", path = ""] = target.split(" ");
  const { body, status = 200, answer = {}, headers = JSON_TYPE } = more;
  return {
    startedDateTime: `2026-03-01T08:${at}`,
    request: {
      ...{ method, url: path.startsWith("/") ? `https://ads.example/api${path}` : path },
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      ...(body !== undefined && { postData: { text: body } }),
    },
    response: { status, content: { text: JSON.stringify(answer) } },
  };
}
interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly answer: object;
}

const har = (...entries: readonly object[]): string => JSON.stringify({ log: { entries } });
// As Python writes it: with spaces.
const impression =
  '{"publisher_id": "P1", "surface": "S2", "ad_id": "ad", "session_id": "s", "token": "SECRET-5"}';

test("a HAR of another service becomes a scenario for that service, or one whose publisher signs up", async () => {
  const surfaces = [{ id: "S1" }, { id: "S2" }];
  const answer = { ok: true, impression_id: "I1" };
  const text = har(
    harEntry("00:00Z", "GET https://shop.example/"),
    harEntry("00:00Z", "GET /v1/publisher/surfaces?publisher_id=P1", { answer: { surfaces } }),
    harEntry("00:01Z", "POST /v1/impression", { body: impression, answer }),
    harEntry("00:01Z", "POST /v1/impression", { body: impression, status: 409 }),
    harEntry("30:01Z", "POST /v1/click", { body: '{"impression_id":"I1"}' }),
  );
  const { stdout, stderr } = await runAdsim(["record", fileOf(text, "My Page 1.har")]);
  expect(stderr).toContain(
    "adsim: left out: 1 request, because they didn't go to the API (entry 1",
  );
  expect(stderr).toContain("--api-key KEY --publisher P1 --surface S1 --surface S2\n");
  const scenario: Scenario = JSON.parse(stdout);
  expect(Object.keys(scenario)).toEqual(["name", "about", "publishers", "steps"]);
  expect(scenario.name).toBe("my-page-1");
  const requests = (whole: string, sender: object) => {
    const ad = { surface: { ref: `${whole}.surfaces.1.id` }, ad_id: "ad", session_id: "s" };
    const more = { ...sender, expect: { status: 200 } };
    return [
      { surfaces: {}, ...more },
      { advance: "1s" },
      { impression: ad, as: "impression-1", ...more },
      { impression: ad, ...sender, note: "The answer was 409." },
      { advance: "30m" },
      { click: { impression_id: { ref: "impression-1.impression_id" } }, ...more },
    ];
  };
  expect(scenario.steps).toEqual(requests("publishers.0", {}));
  const signedUp: Scenario = JSON.parse(
    (await runAdsim(["record", fileOf(text), "--sign-up"])).stdout,
  );
  expect(signedUp.start).toBe("2026-03-01T08:00:00.000Z");
  expect(signedUp.steps).toEqual([
    { signUp: { surfaces: ["Surface 1", "Surface 2"] }, as: "publisher-1" },
    ...requests("publisher-1", { publisher: "publisher-1" }),
  ]);
  expect(await playedBy(signedUp)).toMatch(/^✓ passed /);
});

test("nothing of another service's keys, cookies and unknown parameters gets into the scenario, and it plays", async () => {
  const secret = {
    ...{ ...JSON_TYPE, authorization: "Bearer SECRET-1", cookie: "session=SECRET-2" },
    ...{ referer: "https://shop.example/?token=SECRET-3", "x-api-key": "SECRET-4" },
  };
  const form = { ...secret, "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
  const basic = { authorization: "Basic SECRET-8" };
  const answer = { impression_id: "I1" };
  const ofForm = "publisher_id=P1&surface=S2&ad_id=c&key=SECRET-11";
  const text = har(
    harEntry("00:00.123456Z", "POST /v1/impression", { headers: secret, body: impression, answer }),
    harEntry("00:01.5Z", "POST /v1/click", { body: '{"impression_id": "I1", "ts": 1}' }),
    harEntry("00:02Z", "GET /v1/publisher/stats?publisher_id=P1&api_key=SECRET-6&_=1"),
    harEntry("00:03Z", "GET /v1/publisher/stats", { headers: secret }),
    harEntry("00:04Z", "GET /v1/publisher/stats?publisher_id=P1", { headers: basic, status: 401 }),
    harEntry("00:05Z", "POST /v1/impression", { body: "{SECRET-9", status: 400 }),
    harEntry("00:06Z", "POST /v1/impression?publisher_id=P1&surface=S2&ad_id=b&key=SECRET-10"),
    harEntry("00:07Z", "POST /v1/impression", { body: ofForm, headers: form }),
  );
  const scenario = await recorded(text, "--sign-up");
  expect(JSON.stringify(scenario)).not.toMatch(/SECRET/);
  expect(scenario.start).toBe("2026-03-01T08:00:00.123Z");
  expect(scenario.steps.filter((step) => "note" in step)).toMatchObject([
    { headers: { authorization: "Bearer another-key" }, note: "The answer was 401." },
    { note: "The answer was 400." },
  ]);
  expect(await playedBy(scenario)).toMatch(/^✓ passed .*\n.* 8 requests: 6 ok, 2 refused/);
});

describe("a trace in CSV", () => {
  const trace = [
    "at,operation,publisher_id,surface,ad_id,session_id,impression_id,status",
    "2026-02-01T10:00:00Z,impression,pub-77,top,ad-1,s-1,imp-9,200",
    "1769940005000,click,,,,,imp-9,",
    '2026-02-01T10:01:00Z,impression,pub-78,"side, left",ad-2,,,200',
    "2026-02-01T10:01:00Z,impression,pub-77,top,ad-1,s-1,,409",
    "",
    "2026-02-01T10:02:00Z,stats,pub-77,,,,,200",
    "2026-02-01T10:02:00Z,click,,,,,imp-before,200",
    "2026-02-01T10:02:00Z,stats,,,,,,200",
  ].join("\r\n");
  const semicolons = trace.replaceAll(",", ";");

  test("becomes a scenario that plays, and goes into a file with --out", async () => {
    const out = join(temporaryFolder(), "a.json");
    const options = ["--name", "morning", "--sign-up", "--out", out];
    expect((await runAdsim(["record", fileOf(trace), ...options])).stdout).toBe("");
    const scenario: Scenario = JSON.parse(readFileSync(out, "utf8"));
    expect(scenario.name).toBe("morning");
    const waits = scenario.steps.flatMap((step) => ("advance" in step ? [step.advance] : []));
    expect(waits).toEqual(["5s", "55s", "1m"]);
    expect(scenario.steps.filter((step) => "signUp" in step)).toHaveLength(2);
    expect(scenario.steps.at(-2)).toEqual({
      ...{ click: { impression_id: "imp-before" }, publisher: "publisher-1" },
      note: "The answer was 200. Its impression isn't in the recording.",
    });
    expect(await playedBy(scenario)).toMatch(/^✓ passed /);
  });

  test.each([
    ["semicolons", semicolons],
    ["tabs", trace.replaceAll(",", "\t")],
    ["last empty fields left out", trace.replaceAll(/,+(?=\r?\n)/g, "")],
    ["sep= in the first line", `sep=;\r\n${semicolons}`],
    ["capitals", trace.replaceAll(/^.*|,(impression|stats),/g, (one) => one.toUpperCase())],
    ["more columns", trace.replaceAll(/(?<=.)(?=\r?\n|$)/g, ",x").replace(",x", ",mine")],
  ])("may have %s", async (_, text) => {
    expect(await recorded(text, "--sign-up")).toEqual(await recorded(trace, "--sign-up"));
  });

  test("is sorted by time; a row without a time stays behind the row before it", async () => {
    const rows = ["2026-02-01T10:00:09Z,c", ",d", "2026-02-01T10:00:00Z,a", ",b"];
    const lines = rows.map((row) => `${row},impression,P,S,A`);
    const head = "at,session_id,operation,publisher_id,surface,ad_id";
    const { start, steps } = await recorded([head, ...lines].join("\n"), "--sign-up");
    expect(start).toBe("2026-02-01T10:00:00.000Z");
    const order = steps.flatMap((step): readonly unknown[] => {
      if ("advance" in step) return [step.advance];
      return "impression" in step ? [step.impression?.session_id] : [];
    });
    expect(order).toEqual(["a", "b", "9s", "c", "d"]);
  });

  test("may become more steps than other scenarios have, and so many are played", async () => {
    const times = Array.from({ length: 5001 }, (_, second) => 1_769_940_000_000 + 1000 * second);
    const rows = times.map((time) => `${time},stats`);
    const scenario = await recorded(["at,operation", ...rows].join("\n"), "--sign-up");
    expect(scenario.steps.length).toBeGreaterThan(10_000);
    // Waits take less time to play.
    const waits = scenario.steps.map(() => ({ advance: "1s" as const }));
    const steps = [{ impression: {}, expect: { status: 200 } }, ...waits];
    expect(await playedBy({ ...scenario, steps })).toMatch(/^✓ passed /);
  });

  test.each([
    ["operatio,at\nstats,", 'has no column "operation" in its first line'],
    ["operation\nstat", "line 2, operation: must be one of stats, "],
    ["operation,at\nstats,yesterday", "line 2, at: must be an instant in ISO 8601, such as"],
    ["operation,at\nstats,1769940000", "line 2, at: must be"],
    ["operation,status\nstats,ok", "line 2, status: must be an HTTP status, such as 200.\n"],
    ['operation\n"stats', " is not CSV: "],
    ["operation", "has no request.\n"],
    ["", "is empty: it has no request"],
    ['{"a":1}', "is JSON, but neither a journal's entries nor a HAR"],
  ])("that can't be read is named with what is wrong: %j", async (text, message) => {
    const { code, stdout, stderr } = await runAdsim(["record", fileOf(text)]);
    expect(stderr).toContain(message);
    expect([stdout, code]).toEqual(["", 3]);
  });
});
