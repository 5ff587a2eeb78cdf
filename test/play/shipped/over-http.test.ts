/** The scenarios that ship, over HTTP: an adsim in another process gives the same results as this process. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlayScenarioOptions, playScenario } from "../../../src/play/play-scenario.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import type { ServiceCredentials } from "../../../src/play/targets/target.ts";
import type { Scenario } from "../../../src/scenario.ts";
import { someOf } from "../../budget.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { replaced, storyNamed, storyNames } from "./stories.ts";

/**
 * Over HTTP a request takes a hundred times as long: texts of a scenario, and what replaces them here to send fewer. Where
 * `held` is false, it needs a limit of 10,000 requests or a payout of 500 INR, which so few don't reach: its expectations
 * break, in process as over HTTP.
 */
const fewer: Readonly<
  Record<string, { readonly held?: false; readonly texts: readonly (readonly [string, string])[] }>
> = {
  "big-numbers": {
    texts: [
      ["20000", "600"],
      ['"atLeast":0.1}', '"atLeast":0.001}'],
    ],
  },
  brownout: {
    texts: [
      ['"5/s"', '"1/s"'],
      ["300", "60"],
      ['"failed":15', '"failed":3'],
      ["285", "57"],
      ["585", "117"],
      ["905", "197"],
      ["921", "201"],
    ],
  },
  "burst-to-limit": { held: false, texts: [['"count":9999', '"count":300']] },
  "busy-day": { texts: [["11520000", "500"]] },
  "happy-month": {
    texts: [
      ['"480/d"', '"48/d"'],
      ['"repeatedSessions":0.05', '"repeatedSessions":0.5'],
      ["[60,90]", "[600,900]"],
      ["[80,120]", "[800,1200]"],
      ["[100,250]", "[1000,2500]"],
      ["[13500,15300]", "[1200,1700]"],
      ["12000", "500"],
      ["[150,", "[5,"],
    ],
  },
  "long-payout-list": { held: false, texts: [['"times":50,', '"times":5,']] },
  "noisy-neighbour": { held: false, texts: [['"count":1000', '"count":50']] },
  "window-edge": { held: false, texts: [['"count":10000', '"count":300']] },
};

const shipped = await Promise.all(
  storyNames.map(async (name) => ({
    name,
    scenario: replaced(await storyNamed(name), fewer[name]?.texts ?? []),
  })),
);

const paced = ["double-click", "key-rotation", "unicode-names"];
const inVirtualTime = someOf(shipped);
// Played first: a play in this process would make clients of the others find their answers late.
const playedHere = new Map<string, PlayResult>();
for (const { name, scenario } of [...inVirtualTime, ...paced.map(shippedAs)])
  playedHere.set(name, await playScenario(scenario));

function hereOf(name: string): PlayResult {
  const result = playedHere.get(name);
  if (result === undefined) throw new Error(`${name} wasn't played in this process.`);
  return result;
}

let there: ServerProcess;

beforeAll(async () => {
  there = await startServerProcess();
});

afterAll(() => there.stop());

function playThere(scenario: Scenario, options: PlayScenarioOptions = {}): Promise<PlayResult> {
  return playScenario(scenario, { target: there.url, ...options });
}

/** All that doesn't depend on where it was played and for how long: a line for each part, so that a difference shows. */
function told(result: PlayResult): readonly string[] {
  const { why, skipped, startedAt, endedAt, tally, digest } = result;
  return [
    `${result.result}: ${why}`,
    `from ${startedAt} to ${endedAt}`,
    ...skipped.map(({ path, why: reason }) => `${path} skipped: ${reason}`),
    ...result.steps.flatMap((step) => [
      `${step.path} ${step.title}: ${step.result}${step.why === undefined ? "" : `, ${step.why}`}`,
      ...step.checks.map(
        ({ result: of, about, expected, found }) =>
          `${step.path} ${about}: ${of}, expected ${expected}, found ${found}`,
      ),
      ...(step.tally === undefined ? [] : [`${step.path} ${JSON.stringify(step.tally)}`]),
      ...(step.exchange === undefined
        ? []
        : [`${step.path} ${step.exchange.outcome} ${step.exchange.status} ${step.exchange.body}`]),
    ]),
    ...result.invariants.map(({ id, result: of, why: reason = "" }) => `${id}: ${of} ${reason}`),
    `in all ${JSON.stringify(tally)}`,
    `digest ${digest}`,
  ];
}

/** Verdicts alone: where real time passes, invariants have other evidence and so another why. */
function judged({ result, digest, steps, invariants }: PlayResult): readonly string[] {
  return [
    result,
    ...steps.map(({ path, result: of }) => `${path} ${of}`),
    ...invariants.map(({ id, result: of }) => `${id} ${of}`),
    digest,
  ];
}

function shippedAs(name: string): (typeof shipped)[number] {
  const found = shipped.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No scenario is called ${name}.`);
  return found;
}

// Each waits for all others.
const patiently = { concurrent: true, timeout: 240_000 };

describe("in virtual time each has the same result as in process", patiently, () => {
  test.each(inVirtualTime)("$name", async ({ name, scenario }) => {
    const here = hereOf(name);
    expect(here.result).toBe(fewer[name]?.held === false ? "failed" : "passed");
    expect(told(await playThere(scenario))).toEqual(told(here));
  });
});

test("a play paced far faster than real time has the same verdicts and digest", {
  timeout: 60_000,
}, async () => {
  for (const name of paced) {
    const { scenario } = shippedAs(name);
    const { url } = there;
    const fast = await playThere(scenario, { target: `${url}/@paced`, speed: 1_000_000 });
    expect(fast.target).toMatchObject({ url: `${url}/@paced`, time: "paced", speed: 1_000_000 });
    expect(judged(fast)).toEqual(judged(hereOf(name)));
  }
});

describe("at a service that we don't control", () => {
  /** A new world, with the credentials of its first two publishers. */
  async function service(name: string): Promise<PlayScenarioOptions> {
    const target = `${there.url}/@${name}-service`;
    const response = await fetch(`${target}/_sim/publishers?limit=2`);
    const { publishers } = (await response.json()) as { publishers: ServiceCredentials[] };
    return { target, credentials: publishers.map(({ id, apiKey }) => ({ id, apiKey })) };
  }

  test("steps that need control are skipped with a reason, and the result isn't held", async () => {
    const speed = 1000;
    for (const name of ["wrong-publisher", "lost-ack", "key-rotation", "fresh-publisher"]) {
      const { scenario } = shippedAs(name);
      const result = await playThere(scenario, { ...(await service(name)), speed });
      expect(result.target).toMatchObject({ kind: "service", time: "real", speed });
      expect(result.result, name).not.toBe("passed");
      expect(result.skipped, name).not.toEqual([]);
      for (const { path, why } of result.skipped) expect(`${path}: ${why}`).toMatch(/: .{20,}/);
    }
  });

  test("a scenario that only sends requests is held", async () => {
    const asks: Scenario = {
      name: "asks",
      about: "Requests and traffic, and nothing that only an adsim does.",
      steps: [
        { impression: {}, as: "shown", expect: { status: 200, body: { ok: true } } },
        { click: { impression_id: { ref: "shown.impression_id" } }, expect: { status: 200 } },
        { parallel: { steps: [{ surfaces: {} }, { payouts: {} }] }, expect: { ok: 2 } },
        {
          traffic: {
            for: "300ms",
            arrivals: { kind: "constant", rate: "100/s" },
            clicks: { rate: 0.5, after: "20ms" },
          },
          as: "some",
          expect: { failed: 0, refused: 0, operations: { impression: { sent: 30, ok: 30 } } },
        },
        { stats: {}, expect: { status: 200, body: { clicks: { atLeast: 1 } } } },
      ],
    };
    const result = await playThere(asks, await service("asks"));
    expect({ result: result.result, why: result.why, skipped: result.skipped }).toEqual({
      result: "passed",
      why: expect.any(String),
      skipped: [],
    });
  });
});
