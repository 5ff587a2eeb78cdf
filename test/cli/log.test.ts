/** `--log`: a line for each exchange, whatever clients send. */

import { expect, test } from "vitest";
import { exchangeEvent, exchangeText } from "../../src/cli/log.ts";
import type { ListedEntry } from "../../src/control/listed-exchange.ts";
import { type Cmd, runAdsimOver, startAdsim } from "./run-adsim.ts";

const exchange: ListedEntry = {
  ...{ sequence: 1, at: "2026-01-15T00:00:00.000Z", method: "GET", path: "/v1/publisher/stats" },
  ...{ query: "", status: 200, operation: "stats", publisher: "pub_1", reason: "read" },
  ...{ effect: "read", creditInr: undefined, producedBy: "service", assumptions: "documented" },
  ...{ limit: undefined, fault: undefined, remaining: 59 },
  ...{ retryAfter: undefined, detail: undefined },
};
const fault = {
  ...{ rule: "slow", delayMs: 1, lost: undefined, served: true },
  ...({ kind: "delay", received: "whole", application: 1 } as const),
};
const nobody = { operation: undefined, publisher: undefined } as const;

test.each<[Partial<ListedEntry>, string]>([
  [{ query: "a=b" }, "?a=b 200 stats of pub_1: read (service; 59 left)"],
  [
    { status: 404, reason: "route_not_found", ...nobody },
    " 404 no operation: route not found (service; 59 left)",
  ],
  [
    { status: 429, producedBy: "limit", limit: "reporting", remaining: 0 },
    " 429 stats of pub_1: read (reporting limit; 0 left)",
  ],
  [
    { status: 0, producedBy: "rule", fault, remaining: undefined },
    " no response stats of pub_1: read (rule slow: delay)",
  ],
  [{ fault }, " 200 stats of pub_1: read (service, then rule slow: delay; 59 left)"],
])("the line with %o ends: %s", (change, expected) => {
  const line = exchangeText("blue.2", { ...exchange, ...change }, false);
  expect(line).toBe(`2026-01-15T00:00:00.000Z @blue.2 GET /v1/publisher/stats${expected}`);
});

test("a line has no raw control characters, in text and in JSON, and is cut if it is long", () => {
  const hostile = "a\u0007\u001b[31m\r\n\u0085\u009b2J\u202e\u200b\u2028\ud800\u{e0041}b";
  const sent: ListedEntry = {
    ...{ ...exchange, method: hostile, path: `/${hostile}`, query: hostile },
    ...{ producedBy: "rule", fault: { ...fault, rule: hostile } },
  };
  for (const line of [exchangeText("default", sent, false), exchangeEvent("default", sent)]) {
    expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(line).toContain("\\u009b");
  }
  expect(JSON.parse(exchangeEvent("default", sent))).toMatchObject({ path: `/${hostile}` });
  const long = { ...exchange, path: `/${"x".repeat(10_000)}` };
  expect(exchangeText("default", long, true).length).toBeLessThan(400);
  expect(exchangeText("default", long, true)).toContain("\u001b[32m200\u001b[0m");
});

const line =
  /^\d{4}-\S+Z GET \/v1\/click 405 no operation: method not allowed \(service; \d+ left\)$/m;

test.each([
  ["--log --journal-entries 0", true, undefined],
  ["--log --no-log", false, undefined],
  ["--json --log json", false, ["ready", "exchange"]],
  ["--json --log", true, ["ready"]],
])(
  "adsim serve %s, without a terminal: text on standard error %s, events on standard output %j",
  async (words, isText, events) => {
    const adsim = startAdsim(["serve", "--port", "0", ...words.split(" ")]);
    const written = (): string => adsim.stdout() + adsim.stderr();
    await expect.poll(written, { interval: 5 }).toMatch(/ready at [\s\S]*payouts/);
    const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(written()) ?? [];
    await Promise.all([fetch(`${url}/v1/click`), fetch(`${url}/_sim/health`)]);
    adsim.signal("SIGINT");
    expect((await adsim.ended).code).toBe(0);
    expect(line.test(adsim.stderr())).toBe(isText);
    expect(adsim.stderr()).not.toMatch(/Z GET \/_sim/);
    expect(written().includes("--no-log turns this off")).toBe(isText);
    if (events === undefined) return;
    const lines = adsim.stdout().trimEnd().split("\n");
    expect(lines.map((text) => JSON.parse(text).event)).toEqual(events);
  },
);

test("adsim exec logs CMD's requests only with --log", async () => {
  const cmd: Cmd = async ({ env }) => {
    await fetch(`${env.ADSIM_URL}/v1/click`);
  };
  expect((await runAdsimOver(cmd, ["exec", "--log"])).stderr).toMatch(line);
  expect((await runAdsimOver(cmd, ["exec"])).stderr).not.toMatch(line);
});
