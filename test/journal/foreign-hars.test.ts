/** HARs of other tools, from the command line: what is kept, what is left out and why, and what is refused. */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../src/play/language/scenario.ts";
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

/** A page, and three requests to an API. */
function entries(): Record<string, object> {
  const listed = { surfaces: [{ id: "S", status: "active" }] };
  const ad = { publisher_id: "P", surface: "S", ad_id: "ad" };
  return {
    page: entryOf(0, "GET https://shop.example/", {}),
    list: entryOf(1, `GET ${API}/publisher/surfaces?publisher_id=P`, listed),
    view: entryOf(2, `POST ${API}/impression`, { impression_id: "I" }, ad),
    click: entryOf(4, `POST ${API}/click`, {}, { impression_id: "I" }),
  };
}

/** New values by their path; `undefined` removes. */
type Changes = Readonly<Record<string, unknown>>;

function changed(changes: Changes): string {
  const all = entries();
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    Reflect.set(
      Object(names.reduce<unknown>((at, name) => Reflect.get(Object(at), name), all)),
      last,
      value,
    );
  }
  return JSON.stringify({ log: { entries: Object.values(all) } });
}

/** The steps of the scenario in short, without the sign-up. */
function inShort(stdout: string): string {
  const { steps }: Scenario = JSON.parse(stdout);
  return steps
    .flatMap((step) => {
      if ("advance" in step) return [String(step.advance)];
      if ("impression" in step) return [`impression(${String(step.impression?.ad_id)})`];
      return Object.keys(step).filter((name) => name === "surfaces" || name === "click");
    })
    .join(" ");
}

const times = (pattern: string): Changes => ({
  "list.startedDateTime": `2026-03-01${pattern.replace("?", "1")}`,
  "view.startedDateTime": `2026-03-01${pattern.replace("?", "2")}`,
  "click.startedDateTime": `2026-03-01${pattern.replace("?", "4")}`,
});
const form = (ad_id: string): Changes => {
  const values = Object.entries({ publisher_id: "P", surface: "S", ad_id });
  const params = values.map(([name, value]) => ({ name, value }));
  return { "view.request.postData": { mimeType: "", text: "", params } };
};
const withoutTimes = {
  ...{ "list.startedDateTime": undefined, "view.startedDateTime": null },
  "click.startedDateTime": undefined,
};
const query = [{ name: "publisher_id", value: "P" }];

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
    [
      "a query that only the list has",
      { "list.request.url": `${API}/publisher/surfaces`, "list.request.queryString": query },
    ],
    [
      "a form that only the list has",
      form("50 % é&+"),
      "surfaces 1s impression(50 % é&+) 2s click",
    ],
    [
      "a form as Chrome lists it",
      form("50+%25+%C3%A9%26%2B"),
      "surfaces 1s impression(50 % é&+) 2s click",
    ],
    ["zones without colon", times("T08:00:0?+0000")],
    ["zones without minutes", times("T13:00:0?+05")],
    ["times with a space and a comma", times(" 08:00:0?,000 -00:00")],
    ["times in lower case with many decimals", times("t08:00:0?.000123456z")],
    ["milliseconds since 1970", { "view.startedDateTime": 1_772_352_002_000 }],
    ["no times", withoutTimes, "surfaces impression(ad) click"],
  ])("%s", async (_, changes, kept = "surfaces 1s impression(ad) 2s click") => {
    const file = fileOf(changed(changes));
    const record = await runAdsim(["record", file]);
    const left = "adsim: left out: 1 request, because they didn't go to the API\n";
    expect([record.stderr, inShort(record.stdout)]).toEqual([left, kept]);
    const { stdout } = await runAdsim(["replay", file, "--api-key", "none"]);
    expect(stdout).toMatch(
      /^adsim: 3 requests sent again .*\n {2}1 not sent again: they didn't go/,
    );
  });
});

const NO_RESPONSE = "because no response is recorded (entry 4 POST /v1/click)";

describe("what is left out is named with its request and the reason", () => {
  test.each<[name: string, changes: Changes, reason: string]>([
    ["no answer, as Playwright has it", { "click.response.status": -1 }, NO_RESPONSE],
    ["no answer, as axios-har-tracker has it", { "click.response.status": "" }, NO_RESPONSE],
    ["no response", { "click.response": null }, NO_RESPONSE],
    [
      "a second host",
      { "click.request.url": "https://b.example/v1/click?key=1" },
      "because most requests to the API went to another address (entry 4 POST https://b.example/v1/click)",
    ],
    [
      "the control API",
      { "click.request.url": "https://ads.example/api/_sim/reset" },
      "because they are for the control API (entry 4 POST /_sim/reset)",
    ],
    [
      "an unknown operation",
      { "click.request.url": `${API}/clicks` },
      "because the API has no operation with their method and path (entry 4 POST /v1/clicks)",
    ],
    [
      "a success without a required parameter",
      { "click.request.postData.text": "{}" },
      "because a required parameter isn't recorded (entry 4 POST /v1/click)",
    ],
  ])("%s", async (_, changes, reason) => {
    const { stdout, stderr } = await runAdsim(["record", fileOf(changed(changes))]);
    expect(stderr).toContain(
      `adsim: left out: 1 request, because they didn't go to the API; 1 request, ${reason}\n`,
    );
    expect(inShort(stdout)).toBe("surfaces 1s impression(ad)");
  });

  test("only the first of many", async () => {
    const all = Object.values(entries());
    const others = Array.from({ length: 8 }, () => entryOf(5, `OPTIONS ${API}/click`, {}));
    const file = fileOf({ log: { entries: [...all, ...others] } });
    const { stderr } = await runAdsim(["record", file]);
    expect(stderr).toMatch(
      /8 requests, because .* \(entry 5 OPTIONS .*, entry 9 OPTIONS \S+, and 3 more\)\n$/,
    );
  });
});

describe("what would be sent again must be right, or the file is refused", () => {
  const INSTANT = 'at must be an instant in ISO 8601, such as "2026-03-01T00:00:00Z", not';
  test.each<[changes: Changes, says: string]>([
    [times("?"), `entry 2: ${INSTANT} "2026-03-011".`],
    [{ "view.startedDateTime": "yesterday" }, `entry 3: ${INSTANT} "yesterday".`],
    [
      { "view.startedDateTime": "2026-03-01T08:00:00" },
      `entry 3: ${INSTANT} "2026-03-01T08:00:00".`,
    ],
    [{ "view.startedDateTime": 1_772_352_002 }, `entry 3: ${INSTANT} 1772352002.`],
    [
      { "view.request.method": undefined },
      "entry 3: request.method must be a string, not undefined.",
    ],
    [
      { "view.request.headers": [{ name: "A", value: {} }] },
      "entry 3: request.headers.a must be a string, not an object.",
    ],
    [
      { "view.request.postData": { text: "?", encoding: "base64" } },
      "entry 3: request.bodyBase64 must be base64.",
    ],
    [{ "view.response.status": "OK" }, 'entry 3: response.status must be a number, not "OK".'],
  ])("%j", async (changes, says) => {
    const file = fileOf(changed(changes));
    for (const command of ["record", "replay"]) {
      const { code, stdout, stderr } = await runAdsim([command, file]);
      expect([code, stdout, stderr]).toEqual([3, "", `adsim: ${file}: ${says}\n`]);
    }
  });
});

/**
 * One client's traffic with `adsim serve --seed hars --publishers 3 --start 2026-03-01T00:00:00Z --clock frozen`, with another
 * site, and with a port where nobody listens. Only white space was removed. `chrome.har`: Chromium 156, written by the code of
 * its DevTools behind "Export HAR (sanitized)", which was called by a script. `playwright.har`: `recordHar` of playwright-core
 * 1.65.1. `axios-har-tracker.har`: axios-har-tracker 0.8.0 with axios 1.12.2.
 */
describe.each([
  ["chrome", 12, 5, "entry 6 OPTIONS /v1/publisher/surfaces"],
  ["playwright", 7, 5, ""],
  ["axios-har-tracker", 7, 2, ""],
])("a real HAR of %s", (name, sent, elsewhere, leftOut) => {
  const file = join(import.meta.dirname, "hars", `${name}.har`);
  const world = ["--seed", "hars", "--publishers", "3", "--start", "2026-03-01T00:00:00Z"];
  const replay = ["replay", file, ...world, "--clock", "frozen"];

  test("becomes a scenario that plays", async () => {
    const { stdout, stderr } = await runAdsim(["record", file]);
    expect(stderr).toContain(`${elsewhere} requests, because they didn't go to the API`);
    expect(stderr).toContain(leftOut);
    const { stdout: played } = await runAdsim(["play", fileOf(stdout)]);
    expect(played).toMatch(/^✓ held .*\n.* 7 requests: 6 ok, 1 refused/);
  });

  test("gets the same answers when it is replayed with the key", async () => {
    const { stdout } = await runAdsim([...replay, "--api-key", "key_vhxmejv8cnknd"]);
    expect(stdout).toBe(
      `adsim: ${sent} requests sent again in process: ${sent} answers are the same, 0 are different\n` +
        `  ${elsewhere} not sent again: they didn't go to the API (${elsewhere})\n`,
    );
  });

  test("without keys names the option that gives one", async () => {
    const { code, stdout } = await runAdsim(replay);
    const hasKeys = name !== "chrome";
    expect(code).toBe(hasKeys ? 0 : 1);
    expect(stdout.includes("no Authorization header: browsers leave it out")).toBe(!hasKeys);
    expect(stdout.includes("Give the key that was sent with --api-key.")).toBe(!hasKeys);
  });
});

test("a byte order mark may begin a HAR, a journal and a trace", async () => {
  for (const text of [changed({}), "operation,surface,ad_id\nimpression,S,ad"])
    expect((await runAdsim(["record", fileOf(`\ufeff${text}`)])).code).toBe(0);
});
