/** A session as plain data: when its calls begin and end, what they were about, and what happened to the world. */

import { expect, test } from "vitest";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { pause } from "../../../src/testing/time/time.ts";
import { createPatientDriver } from "../contract/patient-client.ts";
import { createPlainDriver } from "../plain-driver.ts";

const adView = { kind: "impression", surface: 0 } as const;

test("commands that are apart begin at their times, whether or not earlier ones have ended", async () => {
  const { calls, requests, world } = await runSession(
    (context) => {
      const client = createPlainDriver(context);
      const stats = async (): Promise<unknown> => {
        await pause(context.timers, 5000);
        return await client.stats({});
      };
      return { ...client, stats };
    },
    // The client has no flush.
    [{ kind: "together", apartMs: 1000, commands: [{ kind: "stats" }, { kind: "flush" }, adView] }],
  );
  const { startMs } = world;
  const own = calls.filter(({ step }) => step === 0);
  expect(own).toMatchObject([
    { command: { kind: "stats" }, atMs: startMs, endMs: startMs + 5000, isTogether: true },
    { command: adView, atMs: startMs + 1000, endMs: startMs + 1000, outcome: { kind: "done" } },
  ]);
  expect(requests.map(({ atMs, step }) => [atMs - startMs, step])).toEqual([
    [1000, 0],
    [5000, 0],
  ]);
});

test("retryInMs writes a date into the answers of a fault rule, which must write its answers", async () => {
  const rule = { match: { times: 1 }, verdict: { kind: "respond", status: 503 } } as const;
  const { requests, world } = await runSession(createPatientDriver, [
    { kind: "advance", byMs: 86_390_000 },
    { kind: "fault", rule, retryInMs: 20_000 },
    adView,
  ]);
  expect(requests[0]?.got.headers["retry-after"]).toBe("Fri, 16 Jan 2026 00:00:10 GMT");
  expect(requests.map(({ got, atMs }) => [got.status, atMs - world.startMs])).toEqual([
    [503, 86_390_000],
    [200, 86_410_000],
  ]);
  const dropping: Command = { kind: "fault", rule: { verdict: { kind: "drop" } }, retryInMs: 1000 };
  await expect(runSession(createPatientDriver, [dropping])).rejects.toThrow(
    "headers is not known here",
  );
});

test("values are as the client gave them, whatever it does with them later", async () => {
  const figures = { publisher_id: "p", impressions: 1 };
  const { calls } = await runSession(
    (context) => ({
      ...createPlainDriver(context),
      stats: () => figures,
      surfaces: () => Promise.reject(new TypeError("no", { cause: "a reason" })),
      close() {
        figures.impressions = 2;
      },
    }),
    [{ kind: "stats" }, { kind: "surfaces" }],
  );
  expect(calls.map(({ command }) => command.kind)).toEqual(["open", "stats", "surfaces", "close"]);
  expect(calls[1]).toMatchObject({
    outcome: { kind: "done", value: { impressions: 1 } },
    later: { impressions: 2 },
  });
  expect(calls[2]?.outcome).toMatchObject({
    kind: "failed",
    error: { name: "TypeError", message: "no", cause: "a reason" },
  });
});

test("the world's changes say when, for how long, and with which result", async () => {
  const { changes, requests, world } = await runSession(createPlainDriver, [
    { kind: "spend", left: 0, of: "reporting" },
    { kind: "fault", rule: { verdict: { kind: "respond", status: 500 } } },
    { kind: "impression", surface: 1 },
    { kind: "heal" },
    { kind: "advance", byMs: 1000 },
  ]);
  const seen = changes.map(({ command, step, atMs, endMs, result }) => [
    command.kind,
    step,
    endMs - atMs,
    result,
  ]);
  expect(seen).toEqual([
    ["spend", 0, 0, 60],
    ["fault", 1, 0, "rule-1"],
    ["heal", 3, 0, undefined],
    ["advance", 4, 1000, undefined],
    // After the closing.
    ["advance", 6, 3_599_000, undefined],
  ]);
  expect(requests.map(({ step, got, served }) => [step, got.status, served])).toEqual([
    [2, 500, []],
  ]);
  expect(world.recorded).toEqual({ impressions: 0, clicks: 0 });
});

test("a request whose client leaves in a later step has no answer", async () => {
  const { requests } = await runSession(
    ({ baseUrl, fetch, timers }) => ({
      impression() {
        const controller = new AbortController();
        timers.setTimeout(() => controller.abort(), 10_000);
        fetch(`${baseUrl}/v1/publisher/stats`, { signal: controller.signal }).catch(
          () => undefined,
        );
      },
    }),
    [
      { kind: "fault", rule: { match: {}, verdict: { kind: "delay", delay: "5m" } } },
      { kind: "impression", surface: 0 },
      { kind: "advance", byMs: 20_000 },
    ],
  );
  expect(requests.map(({ step, got, gotMs }) => [step, got.status, gotMs])).toEqual([
    [1, 0, undefined],
  ]);
});

test("a client that can't be closed is flushed in the end, also if it was to be closed before", async () => {
  const { calls } = await runSession(() => ({ impression() {}, flush() {} }), [{ kind: "close" }]);
  expect(calls.map(({ command }) => command.kind)).toEqual(["open", "flush"]);
});
