/** `adsim record FILE`: a recording of any kind becomes a scenario that plays. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { parseScenario } from "../../src/play/scenario/parse-scenario.ts";
import type { Scenario } from "../../src/play/scenario/types.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

function fileWith(text: string, name = "recorded.txt"): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** The scenario that `record` prints for a file with this text. */
async function recorded(text: string, ...options: readonly string[]): Promise<Scenario> {
  const { stdout, stderr, code } = await runAdsim(["record", fileWith(text), ...options]);
  expect(`${code} ${stderr}`).toBe("0 ");
  const scenario: Scenario = JSON.parse(stdout);
  parseScenario(scenario);
  return scenario;
}

async function playedBy(scenario: Scenario): Promise<string> {
  const { stdout } = await runAdsim(["play", fileWith(JSON.stringify(scenario), "s.json")]);
  return stdout;
}

/** What a client did at a simulator: two publishers, a repeat, a click, a wrong key, and a minute in between. */
function session(): Simulator {
  const sim = createSimulator({
    seed: "recorded",
    publishers: 3,
    assumptions: { "dedup.repeat": "conflict" },
  });
  const send = (place: number, path: string, values: object, key?: string): unknown => {
    const { id, apiKey } = sim.publishers.at(place);
    const headers = { authorization: `Bearer ${key ?? apiKey}` };
    const isRead = path.startsWith("publisher");
    const named = path === "click" ? values : { publisher_id: id, ...values };
    const { body } = sim.handle({
      method: isRead ? "GET" : "POST",
      path: `/v1/${path}`,
      headers,
      ...(isRead ? { query: { ...named } } : { body: { ...named } }),
    });
    return JSON.parse(String(body));
  };
  const surfaceOf = (place: number) =>
    sim.publishers.at(place).surfaces.find(({ status }) => status === "active")?.id;
  const first = { surface: surfaceOf(0), ad_id: "ad", session_id: "s" };
  const { impression_id } = send(0, "impression", first) as { impression_id: string };
  send(0, "impression", first);
  sim.clock.advance("1m");
  send(0, "click", { impression_id });
  send(1, "impression", { surface: surfaceOf(1), ad_id: "ad-2" });
  send(1, "publisher/stats", {}, "key_of_nobody");
  send(1, "publisher/payouts", { limit: 3 });
  return sim;
}

describe.each([
  ["a journal as NDJSON", (sim: Simulator) => sim.journal.toNdjson()],
  ["a HAR of adsim", (sim: Simulator) => sim.journal.toHar()],
])("%s", (_, textOf) => {
  test("becomes a scenario with the same requests and statuses, in the recorded world", async () => {
    const sim = session();
    const scenario = await recorded(textOf(sim));
    expect(scenario).toMatchObject({
      seed: "recorded",
      publishers: 3,
      assumptions: { "dedup.repeat": "conflict" },
    });
    const statuses = scenario.steps.flatMap((step) =>
      "expect" in step ? [Object(step.expect).status] : [],
    );
    expect(statuses).toEqual([200, 409, 200, 200, 401, 200]);
    expect(await playedBy(scenario)).toMatch(/^✓ passed /);
  });

  test("repeats no key and no id", async () => {
    const sim = session();
    const text = JSON.stringify(await recorded(textOf(sim)));
    for (const { id, apiKey } of [sim.publishers.at(0), sim.publishers.at(1)]) {
      expect(text).not.toContain(apiKey);
      expect(text).not.toContain(id);
    }
  });
});

test("a journal with invalid settings is refused, and one with odd requests leaves these out", async () => {
  const ndjson = session().journal.toNdjson();
  const wrong = fileWith(ndjson.replaceAll('"publishers":3', '"publishers":0'));
  const { code, stderr } = await runAdsim(["record", wrong]);
  expect(`${code} ${stderr}`).toContain(
    `3 adsim: ${wrong} can't become a scenario: publishers must`,
  );
  const odd = fileWith(ndjson.replace('"method":"POST"', '"method":"PO ST"'));
  expect((await runAdsim(["record", odd])).stderr).toContain("1 request, because a scenario can't");
});

describe("somebody else signed up first, and the requests are odd", () => {
  const sim = createSimulator({ seed: "signed", publishers: 2 });
  sim.publishers.signUp({ name: "Somebody else" });
  const { id, apiKey, surfaces } = sim.publishers.signUp({ name: "Mine", surfaces: ["a", "b"] });
  const headers = { authorization: `Bearer ${apiKey}` };
  const post = (path: string, body: object, more: object = {}): unknown =>
    JSON.parse(
      sim.handle({
        method: "POST",
        path,
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      }).body,
    );
  const json = { "content-type": "application/json" };
  const ad = { publisher_id: id, surface: surfaces[1]?.id, ad_id: "ad", colour: "red" };
  const { impression_id } = post("/v1/impression", ad, json) as { impression_id: string };
  post("/v1/click", { impression_id, colour: "red" }, json);
  // Without a Content-Type only a text can be sent.
  post("/v1/impression", ad);
  const ndjson = sim.journal.toNdjson();
  const withoutWorld = ndjson.replaceAll(/,"world":\{.*\}\}/g, "}");

  test.each([ndjson, withoutWorld])(
    "ids in raw requests become references, or the step says so",
    async (text) => {
      const scenario = await recorded(text);
      expect(scenario.steps.slice(0, 3)).toMatchObject([
        { signUp: { surfaces: ["Surface 1"] } },
        {
          raw: {
            body: {
              publisher_id: { ref: "publisher-1.id" },
              surface: { ref: "publisher-1.surfaces.0.id" },
            },
          },
          as: "impression-1",
          expect: { status: 200 },
        },
        { raw: { body: { impression_id: { ref: "impression-1.impression_id" } } } },
      ]);
      const last = scenario.steps.at(-1);
      expect(last).toMatchObject({
        note: expect.stringContaining("It has ids of the recorded world"),
      });
      expect(last).not.toHaveProperty("expect");
      expect(await playedBy(scenario)).toMatch(/^✓ passed /);
    },
  );
});

/** A HAR entry of a browser, which shows no Authorization header. */
function harEntry(
  at: string,
  path: string,
  body: object | undefined,
  status: number,
  answer: object,
) {
  return {
    startedDateTime: at,
    request: {
      method: body === undefined ? "GET" : "POST",
      url: `https://ads.example/api${path}`,
      ...(body && {
        headers: [{ name: "Content-Type", value: "application/json" }],
        postData: { text: JSON.stringify(body) },
      }),
    },
    response: { status, content: { text: JSON.stringify(answer) } },
  };
}

test("a HAR of another service becomes a scenario for that service, or one whose publisher signs up", async () => {
  const impression = { publisher_id: "P1", surface: "S2", ad_id: "ad", session_id: "s" };
  const surfaces = [
    { id: "S1", status: "active" },
    { id: "S2", status: "active" },
  ];
  const entries = [
    harEntry("2026-03-01T08:00:00Z", "/v1/publisher/surfaces?publisher_id=P1", undefined, 200, {
      surfaces,
    }),
    harEntry("2026-03-01T08:00:01Z", "/v1/impression", impression, 200, {
      ok: true,
      impression_id: "I1",
    }),
    harEntry("2026-03-01T08:00:01Z", "/v1/impression", impression, 409, {}),
    harEntry("2026-03-01T08:30:01Z", "/v1/click", { impression_id: "I1" }, 200, { ok: true }),
  ];
  const page = {
    ...harEntry("2026-03-01T07:59:00Z", "", undefined, 200, {}),
    request: { method: "GET", url: "https://shop.example/" },
  };
  const file = fileWith(JSON.stringify({ log: { entries: [page, ...entries] } }), "My Page 1.har");
  const { stdout, stderr } = await runAdsim(["record", file]);
  expect(stderr).toContain(
    "adsim: left out: 1 request, because they didn't go to the API (entry 1 GET ",
  );
  expect(stderr).toContain("--api-key KEY --publisher P1 --surface S1 --surface S2\n");
  const scenario: Scenario = JSON.parse(stdout);
  expect(Object.keys(scenario)).toEqual(["name", "about", "steps"]);
  expect(scenario.name).toBe("my-page-1");
  const requests = (whole: string, sender: object) => [
    { surfaces: {}, ...sender, expect: { status: 200 } },
    { advance: "1s" },
    {
      impression: { surface: { ref: `${whole}.surfaces.1.id` }, ad_id: "ad", session_id: "s" },
      ...sender,
      as: "impression-1",
      expect: { status: 200 },
    },
    expect.objectContaining({ note: "The answer was 409." }),
    { advance: "30m" },
    {
      click: { impression_id: { ref: "impression-1.impression_id" } },
      ...sender,
      expect: { status: 200 },
    },
  ];
  expect(scenario.steps).toEqual(requests("publishers.0", {}));
  const signedUp: Scenario = JSON.parse((await runAdsim(["record", file, "--sign-up"])).stdout);
  expect(signedUp.start).toBe("2026-03-01T08:00:00.000Z");
  expect(signedUp.steps).toEqual([
    { signUp: { surfaces: ["Surface 1", "Surface 2"] }, as: "publisher-1" },
    ...requests("publisher-1", { publisher: "publisher-1" }),
  ]);
  expect(await playedBy(signedUp)).toMatch(/^✓ passed /);
});

/** An entry as a proxy records it, with headers that hold secrets. */
function proxied(
  at: string,
  target: string,
  sent: { body?: string; headers?: Record<string, string>; status?: number; answer?: string },
) {
  const [method = "", path = ""] = target.split(" ");
  const { body, status = 200, answer = "{}", headers = {} } = sent;
  const all = {
    "content-type": "application/json",
    authorization: "Bearer SECRET-1",
    cookie: "session=SECRET-2",
    referer: "https://shop.example/?token=SECRET-3",
    "x-api-key": "SECRET-4",
    ...headers,
  };
  return {
    startedDateTime: `2026-03-01T08:00:${at}`,
    request: {
      method,
      url: `https://shop.example${path}`,
      headers: Object.entries(all).map(([name, value]) => ({ name, value })),
      ...(body !== undefined && { postData: { text: body } }),
    },
    response: { status, content: { text: answer } },
  };
}

const impressionOf = (more: object): string =>
  // As Python writes it: with spaces.
  JSON.stringify({ publisher_id: "P1", surface: "S1", ad_id: "ad", ...more }).replaceAll(",", ", ");

test("nothing of another service's keys, cookies and unknown parameters gets into the scenario, and it plays", async () => {
  const entries = [
    proxied("00.123456Z", "POST /v1/impression", {
      body: impressionOf({ token: "SECRET-5" }),
      answer: '{"impression_id":"I1"}',
    }),
    proxied("01.5Z", "POST /v1/click", { body: '{"impression_id": "I1", "ts": 1}' }),
    proxied("02Z", "GET /v1/publisher/stats?publisher_id=P1&api_key=SECRET-6&_=1", {}),
    proxied("03Z", "GET /v1/publisher/stats", { headers: { authorization: "Bearer SECRET-7" } }),
    proxied("04Z", "GET /v1/publisher/stats?publisher_id=P1", {
      headers: { authorization: "Basic SECRET-8" },
      status: 401,
    }),
    proxied("05Z", "POST /v1/impression", { body: "{SECRET-9", status: 400 }),
    proxied("06Z", "POST /v1/impression?publisher_id=P1&surface=S1&ad_id=b&key=SECRET-10", {}),
    proxied("07Z", "POST /v1/impression", {
      body: "publisher_id=P1&surface=S1&ad_id=c&key=SECRET-11",
      headers: { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" },
    }),
  ];
  const scenario = await recorded(JSON.stringify({ log: { entries } }), "--sign-up");
  expect(JSON.stringify(scenario)).not.toMatch(/SECRET/);
  expect(scenario.start).toBe("2026-03-01T08:00:00.123Z");
  const refused = scenario.steps.filter((step) => "note" in step);
  expect(refused).toMatchObject([
    { headers: { authorization: "Bearer another-key" }, note: "The answer was 401." },
    { note: "The answer was 400." },
  ]);
  expect(await playedBy(scenario)).toMatch(/^✓ passed .*\n.* 8 requests: 6 ok, 2 refused/);
});

test("a click on an impression from before the recording expects nothing", async () => {
  const [, ...clicked] = (await recorded("operation,impression_id\nclick,imp-before", "--sign-up"))
    .steps;
  expect(clicked).toEqual([
    {
      click: { impression_id: "imp-before" },
      publisher: "publisher-1",
      note: "The answer was 200. Its impression isn't in the recording.",
    },
  ]);
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
  ].join("\r\n");

  test("becomes a scenario that plays", async () => {
    const scenario = await recorded(trace, "--name", "morning", "--sign-up");
    expect(scenario.name).toBe("morning");
    const waits = scenario.steps.flatMap((step) => ("advance" in step ? [step.advance] : []));
    expect(waits).toEqual(["5s", "55s", "1m"]);
    const signUps = scenario.steps.filter((step) => "signUp" in step);
    expect(signUps).toHaveLength(2);
    expect(await playedBy(scenario)).toMatch(/^✓ passed /);
  });

  test("is sorted by time; a row without a time stays behind the row before it", async () => {
    const rows = ["2026-02-01T10:00:09Z,third", ",fourth", "2026-02-01T10:00:00Z,first", ",second"];
    const text = `at,session_id,operation,publisher_id,surface,ad_id\n${rows.join(",impression,P,S,A\n")},impression,P,S,A`;
    const { start, steps } = await recorded(text, "--sign-up");
    expect(start).toBe("2026-02-01T10:00:00.000Z");
    const sent = steps.flatMap((step) => ("impression" in step ? [step.impression] : []));
    expect(sent.map((values) => values?.session_id)).toEqual([
      "first",
      "second",
      "third",
      "fourth",
    ]);
    expect(steps.filter((step) => "advance" in step)).toEqual([{ advance: "9s" }]);
  });

  test.each([";", "\t"])("may be separated by %j", async (delimiter) => {
    expect(await recorded(trace.replaceAll(",", delimiter), "--sign-up")).toEqual(
      await recorded(trace, "--sign-up"),
    );
  });

  test.each([
    ["last empty fields left out", trace.replaceAll(/,+(?=\r?\n)/g, "")],
    ["sep= in the first line", `sep=;\r\n${trace.replaceAll(",", ";")}`],
    ["columns in capitals", trace.replace(/^.*/, (head) => head.toUpperCase())],
    [
      "more columns",
      trace
        .replaceAll(/$/gm, ",x")
        .replaceAll(/^,x$/gm, "")
        .replace("status,x", "status,user agent"),
    ],
  ])("may have %s", async (_, text) => {
    expect(await recorded(text, "--sign-up")).toEqual(await recorded(trace, "--sign-up"));
  });

  test("without publisher_id is of one publisher", async () => {
    const scenario = await recorded(
      "operation,surface,ad_id\nimpression,S,A\nimpression,S,B",
      "--sign-up",
    );
    expect(await playedBy(scenario)).toMatch(/^✓ passed /);
  });

  test("that is too long for a scenario is named with how long it is", async () => {
    const text = `operation,publisher_id\n${"stats,P\n".repeat(100_001)}`;
    const { code, stderr } = await runAdsim(["record", fileWith(text)]);
    expect(`${code} ${stderr}`).toMatch(
      /^3 adsim: \S+ makes 100001 steps, and a scenario may have at most 100000. Give a part of it.\n$/,
    );
  });

  test("goes into a file with --out", async () => {
    const out = join(temporaryFolder(), "a.json");
    const { stdout } = await runAdsim(["record", fileWith(trace), "--sign-up", "--out", out]);
    expect(stdout).toBe("");
    expect(JSON.parse(readFileSync(out, "utf8"))).toEqual(await recorded(trace, "--sign-up"));
    const { code, stderr } = await runAdsim(["record", out, "--out", out]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`would replace ${out}, which`)]);
  });

  test.each([
    ["operatio,at\nstats,", 'Did you mean "operation"?\n'],
    ["at\n2026-01-01", 'has no column "operation"'],
    [
      "operation\nstat",
      'has no operation "stat" in line 2, column operation. Did you mean "stats"?\n',
    ],
    [
      "operation,at\nstats,yesterday",
      'line 2, column at: must be an instant in ISO 8601, such as "20',
    ],
    [
      "operation,status\nstats,ok",
      "must have an HTTP status, such as 200, in line 2, column status",
    ],
    ["operation,at\nstats,1769940000", "line 2, column at: must be"],
    ["operation,at\nstats,999999999999999", "line 2, column at: must be"],
    ['operation\n"stats', "is not a recording: it is not CSV: "],
    ["once upon a time", "is not a recording: line 1 names no known column. adsim reads a journal"],
    ["<html>\n<p>", "as NDJSON or JSON, a HAR file, and a trace in CSV. A file that begins with {"],
    ["%PDF", "is read as JSON, any other as CSV, whose first line names the columns: some of at"],
    ["operation", "has no request: only line 1 has fields.\n"],
    ["", "is empty: it has no request"],
    ['{"a":1}', "is JSON, but neither a journal's entries nor a HAR"],
  ])("that can't be read is named with what is wrong: %j", async (text, message) => {
    const { code, stdout, stderr } = await runAdsim(["record", fileWith(text)]);
    expect(stderr).toContain(message);
    expect(stdout).toBe("");
    expect(code).toBe(3);
  });
});
