/** What the client library says of its events, compared with the audit and with each event's own record. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventValues } from "../../src/audit/findings/attempt.ts";
import type { Click, Impression, Outcome, Report } from "../../src/client.ts";
import { isRecorded } from "../../src/exchange/operations/outcome.ts";
import type { FaultRule, JournalEntry } from "../../src/index.ts";
import type { surfaceStatuses } from "../../src/spec/responses.ts";
import { arbitraryAssumptions, arbitraryFaultRule } from "../../src/testing.ts";
import { createMarks } from "../marks.ts";
import { checkAsyncProperty } from "../properties/check-property.ts";
import { started } from "./started.ts";

type SurfaceStatus = (typeof surfaceStatuses)[number];

describe("a 409 to an impression", () => {
  test.each<[string, unknown, number]>([
    ["a proxy's page", "<html><h1>409 Conflict</h1></html>", 0],
    ["no body", "", 0],
    ["a code of another service", { code: "DUPLICATE_EVENT", message: "seen" }, 1],
    ["a code beside an error without one", { error: { message: "no" }, code: "duplicate" }, 1],
    ["a type alone", { type: "https://ads.example/errors/duplicate-impression", code: 409 }, 1],
    ["a code in words", { error: { code: "already_recorded" } }, 1],
    ["another conflict", { error: { code: "conflict", message: "no duplicate" } }, 0],
    ["another state", { code: "already_archived" }, 0],
  ])("is a delivery only if it names a duplicate: %s", async (_, body, delivered) => {
    const { world, ads, surface, over } = await started();
    world.sim.faults.add({ match: { nth: 1 }, verdict: { kind: "lose-response" } });
    world.sim.faults.add({ match: { nth: 2 }, verdict: { kind: "respond", status: 409, body } });
    ads.impression(surface, "a");
    expect((await over(ads.close())).delivered).toBe(delivered);
  });

  test("is no delivery if it answers the first attempt, whatever it says", async () => {
    const { world, ads, surface, over } = await started();
    const body = { code: "duplicate_impression" };
    world.sim.faults.add({ verdict: { kind: "respond", status: 409, body } });
    ads.impression(surface, "a");
    const { delivered, undelivered } = await over(ads.close());
    expect([delivered, undelivered[0]?.mayHaveApplied]).toEqual([0, true]);
  });
});

test("a refused click is undelivered, even if another one was counted", async () => {
  const { world, ads, surface, over } = await started(
    {},
    { assumptions: { "click.repeat": "conflict" } },
  );
  const impression = ads.impression(surface, "a");
  await over(impression.recorded);
  world.sim.faults.add({ verdict: { kind: "duplicate", answer: "second" } });
  ads.click(impression);
  const { delivered, undelivered } = await over(ads.close());
  expect(delivered).toBe(1);
  expect(undelivered).toMatchObject([{ kind: "click", ad: "a", why: "refused" }]);
});

/** What happens to a client, one after the other. */
type Happening =
  | { readonly kind: "impression" }
  | { readonly kind: "flush" }
  | { readonly kind: "click"; readonly of: number }
  | { readonly kind: "fault"; readonly rule: FaultRule }
  | { readonly kind: "status"; readonly status: SurfaceStatus }
  | { readonly kind: "pass"; readonly ms: number };

const happening = fc.oneof<fc.MaybeWeightedArbitrary<Happening>[]>(
  { weight: 4, arbitrary: fc.constant({ kind: "impression" }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("click"), of: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "flush" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("fault"),
      rule: arbitraryFaultRule({ operations: ["impression", "click"] }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("status"),
      status: fc.constantFrom<SurfaceStatus[]>("active", "paused", "archived"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("pass"), ms: fc.nat(4000) }) },
);

/** An event that the client was given, and what it says of it in the end. */
interface Given {
  readonly kind: "impression" | "click";
  readonly about: string;
  readonly outcome: Outcome<unknown>;
}

/** Lets it all happen, and closes the client. Events are those that were sent or refused by the client itself. */
async function lived(
  { world, ads, surface, over }: Awaited<ReturnType<typeof started>>,
  happenings: readonly Happening[],
): Promise<{ readonly given: readonly Given[]; readonly reports: readonly Report[] }> {
  const impressions: Impression[] = [];
  const clicks = new Set<Click>();
  const reports: Report[] = [];
  for (const one of happenings) {
    if (one.kind === "impression")
      impressions.push(ads.impression(surface, `ad-${impressions.length}`));
    else if (one.kind === "fault") world.sim.faults.add(one.rule);
    else if (one.kind === "status")
      world.sim.publishers.setSurface(world.publisher.id, surface, { status: one.status });
    else if (one.kind === "pass") await world.time.pass(one.ms);
    else if (one.kind === "flush") reports.push(await over(ads.flush()));
    else {
      const shown = impressions[one.of % impressions.length];
      if (shown !== undefined) clicks.add(ads.click(shown));
    }
  }
  reports.push(await over(ads.close({ withinMs: 3_600_000 })));
  const given: Given[] = [];
  for (const { ad, recorded } of impressions) {
    given.push({ kind: "impression", about: ad, outcome: await recorded });
  }
  for (const { impression, recorded } of clicks) {
    const shown = await impression.recorded;
    const about = shown.ok ? (shown.value?.impression_id ?? "") : "";
    given.push({ kind: "click", about, outcome: await recorded });
  }
  return { given, reports };
}

function aboutOf({ operation, request }: JournalEntry): string | undefined {
  const values = eventValues({ operation, ...request });
  return operation === "click" ? values?.impression_id : values?.ad_id;
}

/** Whether a rule let the service act and then had it say something else. */
function isLie({ fault }: JournalEntry): boolean {
  return fault?.kind === "respond" && fault.served;
}

const truth =
  "under faults, paused surfaces and any assumptions a client claims no unrecorded event, and reports the others";

test(truth, async () => {
  const marks = createMarks();
  await checkAsyncProperty(
    { test: truth, file: "test/client/ads-truth.test.ts", runs: 600, leastRuns: 300 },
    fc.asyncProperty(
      fc.oneof(
        arbitraryAssumptions(),
        arbitraryAssumptions({
          fixed: { "dedup.repeat": "conflict", "surface.inactive": "reject" },
        }),
      ),
      fc.array(happening, { minLength: 3, maxLength: 24 }),
      async (assumptions, happenings) => {
        const stage = await started({}, { assumptions });
        const { given, reports } = await lived(stage, happenings);
        const { sim } = stage.world;
        const entries = sim.journal.entries();
        for (const { kind, about, outcome } of given) {
          const own = entries.filter((one) => one.operation === kind && aboutOf(one) === about);
          const isOnRecord = own.some(
            ({ reason, fault }) => fault?.served !== false && isRecorded(reason),
          );
          if (outcome.ok) expect(isOnRecord).toBe(true);
          else if (!(outcome.undelivered.mayHaveApplied || own.some(isLie)))
            expect(isOnRecord).toBe(false);
          const [last, before] = own.toReversed();
          if (last?.response.status !== 409 || before === undefined) continue;
          marks.sometimes(
            "a paused surface refused a repetition",
            last.reason === "surface_inactive",
          );
          marks.sometimes("a duplicate was refused, and delivered", outcome.ok);
          marks.sometimes("a conflict said nothing", isOnRecord && !outcome.ok);
        }
        const delivered = reports.reduce((sum, one) => sum + one.delivered, 0);
        const undelivered = reports.flatMap((one) => one.undelivered);
        const { impressions, clicks, balanced } = { ...sim.audit().total, ...sim.audit() };
        expect(delivered).toBeLessThanOrEqual(impressions.applied + clicks.applied);
        expect(delivered + undelivered.length).toBe(given.length);
        expect(undelivered).toHaveLength(given.filter(({ outcome }) => !outcome.ok).length);
        expect(balanced).toBe(true);
      },
    ),
  );
  marks.expectReached();
}, 120_000);
