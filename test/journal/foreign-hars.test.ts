/** HARs of other tools, from the command line: what is kept, what is left out and why, and what is refused. */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runAdsim } from "../cli/run-adsim.ts";
import { fileOf } from "../temporary-folder.ts";

const API = "https://ads.example/api/v1";

function entryOf(second: number, target: string, answer: object, sent?: object): object {
  const [method, url] = target.split(" ");
  const postData = { mimeType: "application/json", text: JSON.stringify(sent) };
  return {
    startedDateTime: `2026-03-01T08:00:0${second}.000Z`,
    request: { method, url, headers: [{ name: "X", value: "1" }], ...(sent && { postData }) },
    response: { status: 200, headers: [], content: { text: JSON.stringify(answer), size: 1 } },
  };
}

const ad = { publisher_id: "P", surface: "S", ad_id: "ad" };
/** A page, and three requests to an API. */
const entries: object = {
  page: entryOf(0, "GET https://shop.example/", {}),
  list: entryOf(1, `GET ${API}/publisher/surfaces?publisher_id=P`, { surfaces: [{ id: "S" }] }),
  view: entryOf(2, `POST ${API}/impression`, { impression_id: "I" }, ad),
  click: entryOf(4, `POST ${API}/click`, {}, { impression_id: "I" }),
};

/** New values by their path; `undefined` removes. */
type Changes = Readonly<Record<string, unknown>>;

function changed(changes: Changes, ...more: readonly object[]): string {
  const all: unknown = structuredClone(entries);
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const holder = names.reduce((at, name) => Reflect.get(Object(at), name), all);
    Reflect.set(Object(holder), last, value);
  }
  return fileOf({ log: { entries: [...Object.values(Object(all)), ...more] } });
}

/** The steps of the scenario in short, without the sign-up. */
function inShort(stdout: string): string {
  const steps: readonly Changes[] = JSON.parse(stdout).steps;
  const words = steps.map(({ advance, impression, surfaces, click }) => {
    if (impression !== undefined) return `impression(${Reflect.get(Object(impression), "ad_id")})`;
    return advance ?? (surfaces && "surfaces") ?? (click && "click");
  });
  return words.filter((word) => word !== undefined).join(" ");
}

const times = (pattern: string | undefined): Changes => ({
  "list.startedDateTime": pattern?.replace("?", "1"),
  "view.startedDateTime": pattern?.replace("?", "2") ?? null,
  "click.startedDateTime": pattern?.replace("?", "4"),
});
const params = (ad_id: string): Changes => {
  const list = Object.entries({ ...ad, ad_id }).map(([name, value]) => ({ name, value }));
  return { "view.request.postData": { mimeType: "", text: "", params: list } };
};
const queryString = {
  "list.request.url": `${API}/publisher/surfaces`,
  "list.request.queryString": [{ name: "publisher_id", value: "P" }],
};

describe("everything that went to the API is kept, and the rest counted", () => {
  test.each<[name: string, changes: Changes, kept?: string]>([
    ["nothing changed", {}],
    ["another site without a response", { "page.response": null }],
    ["another site's header without value", { "page.request.headers": [{ name: "A" }] }],
    ["another site without a method", { "page.request.method": undefined }],
    ["another site's status as a text", { "page.response.status": "200" }],
    ["another site without a URL", { "page.request": "?" }],
    ["another site's entry that is none", { page: null }],
    ["another site's time in words", { "page.startedDateTime": "yesterday" }],
    ["a status as text", { "view.response.status": "200" }],
    ["a header without value", { "view.request.headers": [{ name: "Content-Type" }] }],
    ["a number as header", { "view.request.headers": [{ name: "A", value: 1 }] }],
    ["no headers", { "view.request.headers": null, "view.response.headers": undefined }],
    ["a method in lower case", { "view.request.method": "post" }],
    ["the usual port", { "view.request.url": "https://ads.example:443/api/v1/impression" }],
    ["a host in upper case", { "view.request.url": "HTTPS://ADS.example/api/v1/impression" }],
    ["a slash at the end", { "view.request.url": `${API}/impression/` }],
    ["a fragment", { "list.request.url": `${API}/publisher/surfaces?publisher_id=P#top` }],
    ["a query that only the list has", queryString],
    ["a form in a list", params("50 % é&+"), "surfaces 1s impression(50 % é&+) 2s click"],
    ["a form encoded", params("50+%25+%C3%A9%26%2B"), "surfaces 1s impression(50 % é&+) 2s click"],
    ["zones without colon", times("2026-03-01T08:00:0?+0000")],
    ["zones without minutes", times("2026-03-01T13:00:0?+05")],
    ["times with a space and a comma", times("2026-03-01 08:00:0?,000 -00:00")],
    ["times in lower case with many decimals", times("2026-03-01t08:00:0?.000123456z")],
    ["milliseconds since 1970", { "view.startedDateTime": 1_772_352_002_000 }],
    ["no times", times(undefined), "surfaces impression(ad) click"],
    ["another order", { list: Reflect.get(entries, "click"), click: Reflect.get(entries, "list") }],
  ])("%s", async (_, changes, kept = "surfaces 1s impression(ad) 2s click") => {
    const file = changed(changes);
    const record = await runAdsim(["record", file, "--sign-up"]);
    const left = expect.stringMatching(
      /^adsim: left out: 1 request, because they didn't go to the API/,
    );
    expect([record.stderr, inShort(record.stdout)]).toEqual([left, kept]);
    const { stdout } = await runAdsim(["replay", file]);
    expect(stdout).toMatch(
      /^adsim: 3 requests sent again .*\n {2}left out: 1 request, because they didn't go/,
    );
  });
});

test("a body that isn't recorded isn't compared", async () => {
  const file = changed({ "view.response.content": { size: -1, _file: "view.json" } });
  const { stdout } = await runAdsim(["replay", file]);
  // Nor is the click on the impression whose id it had.
  expect(stdout).toMatch(/2 answers the same, 0 different[\s\S]*1 answer not compared/);
});

describe("what is left out is named with its request and the reason", () => {
  test.each<[changes: Changes, reason: string, request: string]>([
    [{ "click.response.status": -1 }, "no response is recorded", "/v1/click"],
    [{ "click.response.status": "" }, "no response is recorded", "/v1/click"],
    [{ "click.response": null }, "no response is recorded", "/v1/click"],
    [{ "click.request.url": "https://b/v1/click?k=1" }, "went to another", "https://b/v1/click"],
    [{ "click.request.url": "https://ads.example/api/_sim/reset" }, "control API", "/_sim/reset"],
    [{ "click.request.url": `${API}/clicks` }, "the API has no operation", "/v1/clicks"],
    [{ "click.request.postData.text": "{}" }, "a required parameter isn't", "/v1/click"],
  ])("%j: %s", async (changes, reason, request) => {
    const { stdout, stderr } = await runAdsim(["record", changed(changes)]);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(` (entry 4 POST ${request})\n`);
    expect(inShort(stdout)).toBe("surfaces 1s impression(ad)");
  });
});

describe("what would be sent again must be right, or the file is refused", () => {
  const instant = (text: string): string =>
    `startedDateTime must be an instant in ISO 8601, such as "2026-03-01T00:00:00Z", not ${text}.`;
  test.each<[changes: Changes, says: string]>([
    [{ "view.startedDateTime": "yesterday" }, instant('"yesterday"')],
    [{ "view.startedDateTime": "2026-03-01T08:00:00" }, instant('"2026-03-01T08:00:00"')],
    [{ "view.startedDateTime": "1960-01-01" }, instant('"1960-01-01"')],
    [{ "view.startedDateTime": 1_772_352_002 }, instant("1772352002")],
    [{ "view.request.method": undefined }, "request.method must be a string, not undefined."],
    [{ "view.request.headers": [{ name: "A", value: {} }] }, "request.headers.a must be a string"],
    [{ "view.request.postData.encoding": "base64" }, "request.bodyBase64 must be base64."],
    [{ "view.response.status": "OK" }, 'response.status must be a number, not "OK".'],
  ])("%j", async (changes, says) => {
    const file = changed(changes);
    for (const command of ["record", "replay"]) {
      const { code, stdout, stderr } = await runAdsim([command, file]);
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toContain(`adsim: ${file}: entry 3: ${says}`);
    }
  });
});

/**
 * One client's traffic with `adsim serve --seed hars --publishers 3 --start 2026-03-01T00:00:00Z --clock frozen`, with another
 * site, and with a port where nobody listens. Only white space was removed. `chrome.har`: Chromium 156, written by the code of
 * its DevTools behind "Export HAR (sanitized)", which a script called. `playwright.har`: `recordHar` of playwright-core 1.65.1.
 * `axios-har-tracker.har`: axios-har-tracker 0.8.0 with axios 1.12.2.
 */
test.each([
  ["chrome", 5],
  ["playwright", 5],
  ["axios-har-tracker", 2],
])(
  "a real HAR of %s becomes a scenario that plays, and gets the same answers",
  async (name, elsewhere) => {
    const file = join(import.meta.dirname, "hars", `${name}.har`);
    const record = await runAdsim(["record", file]);
    expect(record.stderr).toContain(`${elsewhere} requests, because they didn't go to the API`);
    expect(record.stderr.includes("entry 6 OPTIONS /v1/publisher/surfaces,")).toBe(
      name === "chrome",
    );
    const signedUp = await runAdsim(["record", file, "--sign-up"]);
    const played = await runAdsim(["play", fileOf(signedUp.stdout)]);
    expect(played.stdout).toMatch(/^✓ passed .*\n.* 7 requests: 6 ok, 1 refused/);

    const world = ["--seed", "hars", "--publishers", "3", "--start", "2026-03-01T00:00:00Z"];
    const { code, stdout } = await runAdsim(["replay", file, ...world]);
    expect(stdout).toContain("7 requests sent again in process: 7 answers the same, 0 different");
    expect(code).toBe(0);
  },
);

const request = { method: "GET", path: "/v1/publisher/stats", query: "publisher_id=P" };

test.each([
  ["a HAR", JSON.stringify({ log: { entries: Object.values(entries) } }), "go to the API"],
  ["a journal", JSON.stringify({ request, response: { status: 200 } }), ""],
  ["a trace", "operation,status\nsurfaces,\nsurfaces,-1", "no response is recorded (line 3 GET"],
])("a byte order mark may begin %s", async (_, text, leftOut) => {
  const { code, stderr } = await runAdsim(["record", fileOf(`\ufeff${text}`)]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(leftOut)]);
});
