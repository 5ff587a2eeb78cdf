/**
 * What a matrix finds out about the two example clients. Most runs are in this process, since there are a hundred and a
 * process for each would take a minute. `adsim matrix` repeats some of them in processes, and more of them in `.ci/run`.
 */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createFetch } from "../../src/adapters/fetch.ts";
import { nodeHost } from "../../src/adapters/node-host.ts";
import { type ShrinkState, shrink, type Trials } from "../../src/cli/matrix/shrink.ts";
import { createControl } from "../../src/control/control.ts";
import {
  type ChoiceOverrides,
  keyAndChoiceOf,
  nameOf,
} from "../../src/readings/choice-overrides.ts";
import { coveringArray } from "../../src/readings/covering-array.ts";
import { makePlan } from "../../src/readings/matrix-plan.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import type { AssumptionKey, Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { isThorough } from "../budget.ts";
import { type Habits, relying, robust } from "../clients/habits.ts";
import { playSession } from "../clients/session.ts";
import { runAdsim } from "./run-adsim.ts";

const MAX_MS = 600_000;

const planted = [
  "errors.body",
  "limit.exceeded",
  "limit.retry-after",
  "payout.statuses",
  "ids.format",
  "response.extra-fields",
] as const satisfies readonly AssumptionKey[];

/** Silences the clients, which log what they do. */
beforeAll(() => void vi.spyOn(console, "log").mockReturnValue());
afterAll(() => vi.restoreAllMocks());

async function fails(habits: Habits, assumptions: Assumptions): Promise<boolean> {
  const worlds = createWorlds({
    options: { assumptions },
    host: nodeHost,
    control: createControl(),
  });
  const { id, apiKey } = worlds.get("default").publishers.at(0);
  const access = { url: "http://adsim.test", publisherId: id, apiKey };
  return playSession(habits, { ...access, fetch: createFetch(worlds.handle) }).then(
    () => false,
    () => true,
  );
}

/** Tries every row of this strength, and shrinks those that fail, as the command does. */
async function investigate(
  habits: Habits,
  strength: 1 | 2,
): Promise<ShrinkState & { readonly rows: number; readonly failed: number }> {
  const array = coveringArray({ strength });
  const plan = makePlan({ pinned: {}, only: undefined, strength, array });
  const remembered = new Map<string, boolean>();
  const ask = async (overrides: ChoiceOverrides): Promise<boolean> => {
    const assumptions = plan.assumptionsWith(overrides);
    const answer = assumptions !== undefined && (await fails(habits, assumptions));
    remembered.set(nameOf(overrides), answer);
    return answer;
  };
  const trials: Trials = {
    fails: async (overrides) => remembered.get(nameOf(overrides)) ?? ask(overrides),
    failsAgain: ask,
    confirm: ask,
    compatiblePart: plan.compatiblePart,
  };
  expect(await ask([])).toBe(false);
  for (const row of plan.rows) await ask(row);
  const [failing, passing] = [true, false].map((answer) =>
    plan.rows.filter((row) => remembered.get(nameOf(row)) === answer),
  ) as [ChoiceOverrides[], ChoiceOverrides[]];
  const found: ShrinkState = { minimal: [], unstable: [], isComplete: false };
  if (failing.length > 0) await shrink({ failing, passing, trials, width: 1 }, found);
  return { ...found, rows: plan.rows.length, failed: failing.length };
}

describe("in this process", () => {
  test("a client that relies on the spec alone passes everywhere", async () => {
    expect(await investigate(robust, 2)).toMatchObject({ rows: 35, failed: 0 });
  });

  test("each of the six mistakes of the other client is found, and nothing else is named", async () => {
    const { minimal, unstable, isComplete } = await investigate(relying, 1);
    expect([unstable, isComplete]).toEqual([[], true]);
    expect(minimal.every(({ length }) => length === 1)).toBe(true);
    const named = new Set(
      minimal.flatMap((set) => set.map((override) => keyAndChoiceOf(override)[0])),
    );
    expect([...named].sort()).toEqual([...planted].sort());
  });
});

interface Report {
  readonly verdict: string;
  readonly complete: boolean;
  readonly counts: { readonly rows: number; readonly planned: number; readonly failed: number };
  readonly reliances: readonly { readonly assume: Readonly<Record<string, string>> }[];
}

/** `adsim matrix`, with one of the clients as CMD. */
async function matrixOf(
  client: string,
  ...options: readonly string[]
): Promise<{ code: number | null; report: Report }> {
  const script = join(import.meta.dirname, "../clients", client);
  const args = ["matrix", "--json", ...options, "--", process.execPath, script];
  const { code, stdout } = await runAdsim(args);
  return { code, report: JSON.parse(stdout) };
}

describe("as CMD", () => {
  test("a client that relies on the spec alone passes", { timeout: MAX_MS }, async () => {
    const few = isThorough ? ["--strength", "1"] : ["--only", "errors.invalid"];
    const { code, report } = await matrixOf("robust.ts", ...few);
    expect(report).toMatchObject({ verdict: "green", complete: true, counts: { failed: 0 } });
    expect(report.counts.planned).toBe(isThorough ? 7 : 1);
    expect(report.counts.rows).toBeGreaterThanOrEqual(1);
    expect(code).toBe(0);
  });

  const named = "the other client's mistakes are named";
  if (isThorough)
    test(named, { timeout: MAX_MS }, async () => {
      const only = planted.join(",");
      const { code, report } = await matrixOf("relying.ts", "--strength", "1", "--only", only);
      const keys = report.reliances.flatMap(({ assume }) => Object.keys(assume));
      expect([...new Set(keys)]).toEqual(planted);
      expect(report.reliances.every(({ assume }) => Object.keys(assume).length === 1)).toBe(true);
      expect(report).toMatchObject({ verdict: "relies", complete: true, flaky: [] });
      expect(code).toBe(1);
    });
});
