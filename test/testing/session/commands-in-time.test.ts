import { expect, test } from "vitest";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { commandInWords } from "../../../src/testing/session/words.ts";
import { patientClient } from "../contract/patient-client.ts";

const start = "2026-01-15T00:00:00Z";
const startMs = Date.parse(start);

test("commands that are apart begin at their times, whether or not earlier ones have ended", async () => {
  const { steps } = await runSession(
    patientClient({ dawdlesMs: 5000 }),
    [
      {
        kind: "together",
        apartMs: 1000,
        commands: [{ kind: "stats" }, { kind: "flush" }, { kind: "impression", surface: 0 }],
      },
    ],
    { start },
  );
  const [, step] = steps;
  expect(step?.parts?.map(({ atMs, endMs }) => [atMs - startMs, endMs - startMs])).toEqual([
    [0, 5000],
    [1000, 1000],
    [2000, 2000],
  ]);
  expect(step?.parts?.map(({ outcome }) => outcome.kind)).toEqual(["done", "skipped", "done"]);
  expect(step?.exchanges.map(({ atMs }) => atMs - startMs)).toEqual([2000, 5000]);
  expect(step && commandInWords(step.command)).toMatch(/^one every 1 s: stats; flush; impression/);
});

test("retryInMs writes a date into the answers of a fault rule", async () => {
  const { exchanges } = await runSession(
    patientClient(),
    [
      { kind: "advance", byMs: 86_390_000 },
      {
        kind: "fault",
        rule: { match: { times: 1 }, verdict: { kind: "respond", status: 503 } },
        retryInMs: 20_000,
      },
      { kind: "impression", surface: 0 },
    ],
    { start },
  );
  expect(exchanges[0]?.got.headers["retry-after"]).toBe("Fri, 16 Jan 2026 00:00:10 GMT");
  expect(exchanges.map(({ got, atMs }) => [got.status, atMs - startMs])).toEqual([
    [503, 86_390_000],
    [200, 86_410_000],
  ]);
});

test("retryInMs needs a rule that writes its answers", async () => {
  await expect(
    runSession(patientClient(), [
      { kind: "fault", rule: { verdict: { kind: "drop" } }, retryInMs: 1000 },
    ]),
  ).rejects.toThrow("retryInMs needs a verdict of kind respond, not drop");
});
