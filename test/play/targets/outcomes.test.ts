import { describe, expect, test } from "vitest";
import { type ApiResponse, createSimulator } from "../../../src/index.ts";
import type { RequestOutcome } from "../../../src/invariants/client-exchange.ts";

import type { Delivery } from "../../../src/spec/delivery.ts";
import { cases, nameOf, type Verdict } from "../../faults/cases.ts";
import {
  auditOf,
  impressionBy,
  opened,
  type PlayedPair,
  performEffect,
  played,
  serverFor,
  tellingLate,
  withoutConnectionHeaders,
} from "./remote-world.ts";

const outcomes: Readonly<Record<Delivery["kind"], RequestOutcome>> = {
  whole: "answered",
  overtaken: "answered",
  bytes: "answered",
  drip: "answered",
  cut: "cut",
  noise: "lost",
  close: "lost",
  reset: "lost",
  silence: "timed-out",
};

/** For answers that never come, or only much later. */
const SHORT_MS = 60;
const LONG_MS = 20_000;

/** Sends the same impression in process and over HTTP. `timeoutMs`: of the client over HTTP. */
async function sentTwice(
  { target, sim }: PlayedPair,
  timeoutMs: (response: ApiResponse) => number,
): Promise<{ readonly here: ApiResponse; readonly there: Awaited<ReturnType<typeof sent>> }> {
  const outgoing = impressionBy(sim.publishers.at(0));
  const here = sim.handle(outgoing.request);
  const there = await sent({ target }, { ...outgoing, timeoutMs: timeoutMs(here) });
  return { here, there };
}

function sent({ target }: Pick<PlayedPair, "target">, outgoing: ReturnType<typeof impressionBy>) {
  return performEffect(target, "send", { outgoing });
}

describe("each verdict", () => {
  test.each(cases.map((one) => [nameOf(one), one.verdict] as const))(
    "%s: the client sees what the delivery describes, and the audit is as in process",
    async (_, verdict) => {
      const one = await played({ faults: [{ id: "rule", match: { times: 1 }, verdict }] });
      const { here, there } = await sentTwice(one, ({ delivery }) =>
        delivery?.kind === "silence" ? SHORT_MS : LONG_MS,
      );
      const kind = here.delivery?.kind ?? "whole";
      if (here.delivery?.kind === "silence") here.delivery.undelivered();
      expect(there.outcome).toBe(outcomes[kind]);
      expect(there).toMatchObject({ status: here.status, text: here.body });
      expect(withoutConnectionHeaders(there.headers)).toEqual(here.headers);
      expect(await performEffect(one.target, "audit")).toEqual(auditOf(one.sim));

      // The next request finds a connection that works.
      const next = await sentTwice(one, () => LONG_MS);
      expect(next.there).toMatchObject({ outcome: "answered", text: next.here.body });
    },
  );
});

describe("a client that gives up", () => {
  const late: readonly Verdict[] = [
    { kind: "delay", delay: "20s" },
    { kind: "respond", status: 503, delay: "20s" },
    { kind: "respond", status: 503, applied: true, delay: "20s" },
    { kind: "lose-response", delay: "20s" },
    { kind: "truncate", share: 0.5, delay: "20s" },
    { kind: "drip", bytesPerSecond: 1 },
    { kind: "duplicate", delay: "20s" },
    { kind: "duplicate", answer: "second", delay: "20s" },
    { kind: "reorder", by: 9, atMost: "20s" },
  ];

  test.each(late.map((verdict) => [JSON.stringify(verdict), verdict] as const))(
    "%s: the audit at once counts the answer as lost",
    async (_, verdict) => {
      const one = await played({ faults: [{ match: { times: 2 }, verdict }] });
      for (const _time of ["first", "second"]) {
        const { here, there } = await sentTwice(one, () => SHORT_MS);
        here.delivery?.undelivered();
        expect(there).toMatchObject({ outcome: "timed-out", status: 0, headers: {}, text: "" });
        expect(await performEffect(one.target, "audit")).toEqual(auditOf(one.sim));
      }
    },
  );

  test.each([
    ["delays the audit until the server notices", {}, 150],
    ["delays the audit a little if the server's journal keeps nothing", { journalEntries: 0 }, 20],
  ])("%s", async (_, options, noticesAfterMs) => {
    const server = await serverFor(options);
    const verdict: Verdict = { kind: "delay", delay: "20s" };
    const sim = createSimulator({ faults: [{ verdict }] });
    const url = await tellingLate(server.url, noticesAfterMs);
    const target = await opened(url, { snapshot: () => sim.snapshot() });
    const { here } = await sentTwice({ server, sim, target }, () => SHORT_MS);
    here.delivery?.undelivered();
    expect(await performEffect(target, "audit")).toEqual(auditOf(sim));
  });
});
