import { expect, test } from "vitest";
import { playInProcess } from "../../../src/play/player/play-in-process.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import { playScenario } from "../../../src/play/targets/play-scenario.ts";
import type { Scenario, Step } from "../../../src/scenario.ts";
import { cases, type Verdict } from "../../faults/cases.ts";
import { serverFor } from "./remote-world.ts";

/** The timeout of a client that outwaits short delays. */
const PATIENT = "1s";

const silent: ReadonlySet<unknown> = new Set(
  cases.filter(({ manner }) => manner === "silent").map(({ verdict }) => verdict),
);

function struckBy(verdict: Verdict, timeout: string): Step[] {
  return [
    { fault: { match: { times: 1 }, verdict } },
    { impression: {}, timeout: silent.has(verdict) ? "300ms" : timeout },
  ];
}

const scenario: Scenario = {
  name: "every-verdict",
  about: "What a client sees of each, and when it gives up on what is held back for too long.",
  steps: [
    ...cases.flatMap(({ verdict }) => struckBy(verdict, PATIENT)),
    ...struckBy({ kind: "reorder", by: 1, atMost: "1h" }, "200ms"),
    ...struckBy({ kind: "reorder", by: 3, atMost: "50ms" }, PATIENT),
    ...struckBy({ kind: "respond", status: 500, body: "\ufeff{}" }, PATIENT),
    ...struckBy({ kind: "respond", status: 200, body: "\ufeff" }, PATIENT),
    { parallel: { times: 3, steps: [{ impression: {} }, { stats: {} }] } },
    { expect: { audit: { balanced: true } } },
  ],
};

function seen({ steps }: PlayResult): readonly string[] {
  return steps.map(({ path, result, exchange: { outcome, status, body } = {} }) =>
    [path, result, outcome, status, JSON.stringify(body)].join(" "),
  );
}

test.each([false, true])(
  "whatever a rule does to an answer is the same over HTTP as in process, with explanations: %j",
  async (explain) => {
    const { url } = await serverFor({ explain });
    const here = playInProcess(scenario);
    const there = await playScenario(scenario, { target: url });
    expect(seen(there)).toEqual(seen(here));
    expect(there.digest).toBe(here.digest);
    expect(there.tally).toEqual(here.tally);
    const { timedOut } = here.tally;
    expect(timedOut).toBe(silent.size + 1);
    expect(here.result).toBe("passed");
  },
);
