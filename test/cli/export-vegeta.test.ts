/** `adsim export --to vegeta`: its lines are the requests that `adsim play` sends, in the form that vegeta reads. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { vegeta } from "../../src/cli/export/vegeta.ts";
import { createSimulator } from "../../src/index.ts";
import type { Scenario, Step } from "../../src/play/language/scenario.ts";
import { playScenarioSync, simulatorFor } from "../../src/play/player/play-in-process.ts";
import { wireRequestOf } from "../../src/play/targets/wire-request.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { fileOf, temporaryFolder } from "../temporary-folder.ts";
import { runAdsim } from "./run-adsim.ts";

/** A line as vegeta documents it. */
interface Target {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  readonly header: Readonly<Record<string, readonly string[]>>;
  readonly timestamp: string;
}

const scenario: Scenario = {
  name: "mine",
  about: "Traffic.",
  seed: "zwei",
  start: "2026-03-01T09:30:00Z",
  steps: [
    {
      traffic: {
        for: "1m",
        arrivals: { kind: "poisson", rate: "8/s" },
        mix: { impression: 20, stats: 1, surfaces: 1, payouts: 1 },
        publishers: [0, 2],
        repeatedSessions: 0.2,
        clicks: { rate: 0.3 },
      },
    },
    { advance: "2h" },
    {
      repeat: {
        times: 2,
        every: "1m",
        steps: [
          {
            traffic: {
              for: "30m",
              arrivals: { kind: "daily", mean: "500/h" },
              ...{ sessions: false, surfaces: 1, publishers: [1] },
            },
          },
        ],
      },
    },
  ],
};

function targetsIn(text: string): Target[] {
  expect(text.endsWith("\n")).toBe(true);
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** A request as a line of vegeta has it. Its body is text. */
function targetOf(request: ApiRequest, base: string, timestamp: string): Target {
  const { method, target, headers, body } = wireRequestOf("", request);
  const header = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value]]),
  );
  const text = String(body);
  return { method, url: base + target, header, timestamp, ...(text !== "" && { body: text }) };
}

function decoded({ body, ...target }: Target): Target {
  if (body === undefined) return target;
  return { ...target, body: Buffer.from(body, "base64").toString("utf8") };
}

/** What the player sends, without clicks. */
function played(base: string): Target[] {
  const sim = simulatorFor(scenario);
  const sent: Target[] = [];
  const { handle } = sim;
  vi.spyOn(sim, "handle").mockImplementation((request) => {
    const target = targetOf(request, base, new Date(sim.clock.now()).toISOString());
    if (request.path !== "/v1/click") sent.push(target);
    return handle(request);
  });
  const { tally } = playScenarioSync(scenario, { simulator: sim });
  expect(tally.sent).toBeGreaterThan(sent.length);
  return sent;
}

test("every line is a request of the player, in its order and at its time", async () => {
  const base = "http://127.0.0.1:4010/@load";
  const args = ["export", fileOf(scenario), "--to", "vegeta", "--target", base];
  const { code, stdout, stderr } = await runAdsim(args);
  expect(code, stderr).toBe(0);
  const targets = targetsIn(stdout);
  expect(targets.length).toBeGreaterThan(900);
  expect(targets.map(decoded)).toEqual(played(base));
  const times = targets.map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("stderr has the line that sends each of them once, and what it can't keep", async () => {
  const out = join(temporaryFolder(), "load targets.ndjson");
  const steps: Step[] = [
    ...scenario.steps,
    { traffic: { for: "1500ms", arrivals: { kind: "burst", count: 5 }, timeout: "2500ms" } },
  ];
  const given = { ...scenario, steps, thresholds: ["late = 0"] };
  const { code, stdout, stderr } = await runAdsim([
    ...["export", fileOf(given), "--to", "vegeta", "--out", out],
  ]);
  expect([code, stdout]).toEqual([0, ""]);
  const { length } = targetsIn(readFileSync(out, "utf8"));
  const seconds = 60 + 2 * 1800 + 1.5;
  const attack = `vegeta attack -format=json -lazy '-targets=${out}' -rate=${length}/${seconds * 1000}ms -duration=${seconds * 1000}ms -timeout=10s`;
  expect(stderr).toContain(`adsim: run it with: ${attack} | vegeta report\n`);
  for (const said of [/thresholds: .*report of vegeta/, /clicks: steps\.0\n/, /at one rate/]) {
    expect(stderr).toMatch(said);
  }
  expect(stderr).not.toMatch(/repeatedSessions|poisson|mixes/);
});

test("a constant rate is kept, so nothing is said of it", async () => {
  const steps: Step[] = [{ traffic: { for: "1m", arrivals: { kind: "constant", rate: "7/m" } } }];
  const { stderr } = await runAdsim([
    ...["export", fileOf({ name: "mine", about: "Traffic.", steps }), "--to", "vegeta"],
  ]);
  expect(stderr).toContain("-targets=FILE -rate=7/1m -duration=1m -timeout=10s");
  expect(stderr).not.toContain("one rate");
});

test("millions of lines are written piece by piece", () => {
  const { id, apiKey } = createSimulator().publishers.at(0);
  const arrivals = { kind: "constant", rate: "8000/m" } as const;
  const { files } = vegeta.load({
    ...{ scenario: "day", seed: "adsim", thresholds: [], target: "http://a", out: undefined },
    steps: [
      {
        ...{ traffic: { for: "1d", arrivals }, name: undefined, startMs: 0 },
        senders: [{ ordinal: 0, id, apiKey, surfaces: ["s"] }],
      },
    ],
  });
  const [{ content } = { content: "" }] = files;
  let pieces = 0;
  for (const piece of content) {
    expect(piece.length).toBeLessThan(1 << 17);
    expect(piece.endsWith("\n")).toBe(true);
    pieces += 1;
    if (pieces === 3) break;
  }
  expect(pieces).toBe(3);
});
