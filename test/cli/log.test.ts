/** `--log`: a line for each exchange, whatever clients send. */

import { describe, expect, test } from "vitest";
import { nodeHost } from "../../src/adapters/node-host.ts";
import { exchangeEvent, exchangeText } from "../../src/cli/log.ts";
import { createControl } from "../../src/control/control.ts";
import { type ListedExchange, listedEntry } from "../../src/control/listed-exchange.ts";
import { createSimulator } from "../../src/index.ts";
import type { JournalEntry } from "../../src/journal/entry.ts";
import { createWorlds, type Worlds } from "../../src/simulator/worlds.ts";
import { type Adsim, type Cmd, runAdsimOver, startAdsim } from "./run-adsim.ts";

const exchange: ListedExchange = {
  sequence: 1,
  at: "2026-01-15T00:00:00.000Z",
  method: "GET",
  path: "/v1/publisher/stats",
  query: "publisher_id=pub_1",
  status: 200,
  operation: "stats",
  publisher: "pub_1",
  reason: "read",
  effect: "read",
  creditInr: undefined,
  producedBy: "service",
  assumptions: "documented",
  limit: undefined,
  fault: undefined,
  remaining: 59,
};

describe("a line", () => {
  const fault = { rule: "slow", kind: "delay" } as const;
  test.each<[Partial<ListedExchange>, string, string]>([
    [
      {},
      "default",
      "GET /v1/publisher/stats?publisher_id=pub_1 200 stats of pub_1: read (service; 59 left)",
    ],
    [
      { status: 404, operation: undefined, publisher: undefined, reason: "route_not_found" },
      "blue.2",
      "@blue.2 GET /v1/publisher/stats?publisher_id=pub_1 404 no operation: route not found (service; 59 left)",
    ],
    [
      { query: "", status: 429, producedBy: "limit", limit: "reporting", remaining: 0 },
      "default",
      "GET /v1/publisher/stats 429 stats of pub_1: read (reporting limit; 0 left)",
    ],
    [
      { query: "", status: 0, producedBy: "rule", fault, remaining: undefined },
      "default",
      "GET /v1/publisher/stats no response stats of pub_1: read (rule slow: delay)",
    ],
    [
      { query: "", fault },
      "default",
      "GET /v1/publisher/stats 200 stats of pub_1: read (service, then rule slow: delay; 59 left)",
    ],
  ])("with %o in the world %s reads: %s", (change, world, expected) => {
    const line = exchangeText(world, { ...exchange, ...change }, false);
    expect(line).toBe(`2026-01-15T00:00:00.000Z ${expected}`);
  });

  const hostile = "a\u0007\u001b[31m\r\n\u0085\u009b2J\u202e\u200b\u2028\ud800\u{e0041}b";

  test("has no raw control characters, in text and in JSON", () => {
    const sent: ListedExchange = {
      ...{ ...exchange, method: hostile, path: `/${hostile}`, query: hostile },
      ...{ producedBy: "rule", fault: { rule: hostile, kind: "drop" } },
    };
    for (const line of [exchangeText("default", sent, false), exchangeEvent("default", sent)]) {
      expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(line).toContain("\\u009b");
      expect(line).toContain("\\u202e");
    }
    expect(JSON.parse(exchangeEvent("default", sent))).toMatchObject({ path: `/${hostile}` });
  });

  test("is cut if the path is too long, and has colours only if they are wanted", () => {
    const long = { ...exchange, path: `/${"x".repeat(10_000)}` };
    expect(exchangeText("default", long, false).length).toBeLessThan(400);
    expect(exchangeText("default", exchange, true)).toContain("\u001b[32m200\u001b[0m");
    expect(exchangeText("default", { ...exchange, status: 503 }, true)).toContain("\u001b[31m503");
  });
});

describe("in process", () => {
  function makeWorlds(journalEntries: number): Worlds {
    return createWorlds({
      options: { clock: "frozen", journalEntries },
      host: nodeHost,
      control: createControl(),
    });
  }
  function send(worlds: Worlds): unknown[] {
    const { id, apiKey, surfaces } = worlds.get("default").publishers.at(0);
    const headers = { authorization: `Bearer ${apiKey}` };
    const body = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "a" };
    return [
      worlds.handle({ method: "POST", path: "/v1/impression", headers, body }),
      worlds.handle({ method: "POST", path: "/@other/v1/impression", headers, body }),
      worlds.handle({ method: "GET", path: "/_sim/health" }),
      worlds.handle({ method: "GET", path: `/v1/publisher/stats?publisher_id=${apiKey}`, headers }),
    ];
  }

  test.each([10_000, 0])(
    "an observer sees every exchange and changes no answer, with a journal of %i",
    (entries) => {
      const [plain, observed] = [makeWorlds(entries), makeWorlds(entries)];
      const seen: [string, JournalEntry][] = [];
      observed.observe((world, one) => seen.push([world, one]));
      expect(send(observed)).toEqual(send(plain));
      expect(observed.get("default").journal.total).toBe(plain.get("default").journal.total);
      expect(seen).toMatchObject([
        ["default", { sequence: 1, operation: "impression", response: { status: 200 } }],
        ["other", { sequence: 1, operation: "impression", reason: "recorded" }],
        [
          "default",
          {
            sequence: 2,
            operation: "stats",
            request: {
              query: expect.stringContaining("publisher_id="),
              headers: { authorization: "(redacted)" },
            },
          },
        ],
      ]);
      observed.fork("forked", "default").handle({ method: "GET", path: "/x" });
      observed.get("default").reset();
      observed.handle({ method: "GET", path: "/x" });
      expect(seen.slice(3)).toMatchObject([
        ["forked", { response: { status: 404 } }],
        ["default", { sequence: 1, response: { status: 404 } }],
      ]);
    },
  );

  test("an observer that was removed sees no more", () => {
    const sim = createSimulator();
    const seen: number[] = [];
    const leave = sim.journal.observe(({ response }) => seen.push(response.status));
    sim.handle({ method: "GET", path: "/x" });
    leave();
    sim.handle({ method: "GET", path: "/x" });
    expect(seen).toEqual([404]);
  });

  test("an observer sees whether a rule loses, duplicates or drops an exchange", () => {
    const sim = createSimulator();
    const seen: ListedExchange[] = [];
    sim.journal.observe((entry) => seen.push(listedEntry(entry)));
    for (const kind of ["lose-response", "duplicate", "drop"] as const) {
      sim.faults.clear();
      sim.faults.add({ id: kind, verdict: { kind } });
      sim.handle({ method: "GET", path: "/x" });
    }
    const fields = seen.map(({ status, producedBy, fault, remaining }) =>
      [status, producedBy, fault?.rule, remaining].join(" "),
    );
    expect(fields).toEqual([
      "0 service lose-response 60",
      "404 service duplicate 60",
      "0 service duplicate 60",
      "0 rule drop ",
    ]);
  });
});

describe("adsim serve", () => {
  async function served(
    args: readonly string[],
    act: (url: string) => Promise<unknown>,
  ): Promise<Adsim> {
    const adsim = startAdsim(["serve", "--port", "0", ...args]);
    const written = (): string => adsim.stdout() + adsim.stderr();
    await expect.poll(written, { interval: 5 }).toMatch(/ready at [\s\S]*payouts/);
    const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(written()) ?? [];
    await act(url);
    adsim.signal("SIGINT");
    expect((await adsim.ended).code).toBe(0);
    return adsim;
  }
  const ask = (url: string): Promise<unknown> =>
    Promise.all([fetch(`${url}/v1/click`), fetch(`${url}/_sim/health`)]);
  const line =
    /^\d{4}-\S+Z GET \/v1\/click 405 no operation: method not allowed \(service; \d+ left\)$/m;

  test("logs text to standard error, even with the journal off, and no control requests", async () => {
    const adsim = await served(["--log", "--journal-entries", "0"], ask);
    expect(adsim.stderr()).toMatch(line);
    expect(adsim.stderr()).not.toContain("_sim");
    expect(adsim.stdout()).not.toMatch(line);
    expect(adsim.stdout()).toContain("--no-log turns this off");
  });

  test.each([[[]], [["--no-log"]], [["--log", "off"]], [["--log", "--no-log"]]])(
    "logs nothing with %j if there is no terminal",
    async (args) => {
      const adsim = await served(args, ask);
      expect(adsim.stderr()).toBe("adsim: SIGINT, closing\n");
      expect(adsim.stdout()).not.toContain("--no-log");
    },
  );

  test.each([
    [
      ["--json", "--log", "json"],
      ["ready", "exchange"],
    ],
    [["--log", "json"], ["exchange"]],
    [["--json", "--log"], ["ready"]],
  ])("writes only NDJSON to standard output with %j", async (args, events) => {
    const adsim = await served(args, ask);
    const lines = adsim.stdout().trimEnd().split("\n");
    expect(lines.map((text) => JSON.parse(text).event)).toEqual(events);
    expect(adsim.stderr()).toContain("Paste any of these");
    expect(line.test(adsim.stderr())).toBe(!args.includes("json"));
  });
});

test("adsim exec logs CMD's requests only with --log", async () => {
  const cmd: Cmd = async ({ env }) => {
    await fetch(`${env.ADSIM_URL}/v1/click`);
  };
  const logged = / GET \/v1\/click 405 /;
  expect((await runAdsimOver(cmd, ["exec", "--log"])).stderr).toMatch(logged);
  expect((await runAdsimOver(cmd, ["exec"])).stderr).not.toMatch(logged);
});
