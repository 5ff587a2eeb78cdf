/** Defects that only long or wide sequences, or ads that are shown again, reveal. */

import { describe, expect, test } from "vitest";
import { rules } from "../../../src/testing/contract/rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver, Driver, Shown } from "../../../src/testing/driver/driver.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { eventsOf } from "../../../src/testing/session/tasks.ts";
import { runsOf } from "../../budget.ts";
import { createAdsDriver } from "../../client/ads-driver.ts";
import { onceOnly, patientClient } from "./patient-client.ts";
import { expectShort, shrinkOnlyIfWhole } from "./shrinking.ts";

shrinkOnlyIfWhole();

type Wrap = (driver: Driver<unknown>) => Partial<Driver<unknown>>;

/** A correct client with some methods replaced. */
function changed(client: CreateDriver<never>, wrap: Wrap): CreateDriver<unknown> {
  return async (context) => {
    // Each client gets only what it gave.
    const driver = (await client(context)) as Driver<unknown>;
    return { ...driver, ...wrap(driver) };
  };
}

const patient = patientClient() as CreateDriver<never>;
const queueing = patientClient({ queues: true }) as CreateDriver<never>;
const ads = createAdsDriver as CreateDriver<never>;

/** Reports each view whose key it doesn't know. */
function remembering(keyOf: (shown: Shown) => string, most = Number.POSITIVE_INFINITY): Wrap {
  return ({ impression }) => {
    const known = new Map<string, unknown>();
    return {
      async impression(shown) {
        const key = keyOf(shown);
        if (known.has(key)) return known.get(key);
        const receipt = await impression(shown);
        known.set(key, receipt);
        const [oldest] = known.keys();
        if (known.size > most && oldest !== undefined) known.delete(oldest);
        return receipt;
      },
    };
  };
}

/** Makes its own session ids: a view of an ad on a surface keeps its session until `most` other views came. */
function ownSessions(most: number): Wrap {
  let made = 0;
  return ({ impression }) => {
    const known = remembering(({ surface, ad }) => `${surface} ${ad}`, most);
    const send = (shown: Shown): unknown => {
      made += 1;
      return impression({ ...shown, session: `own-${made}` });
    };
    return known({ impression: send });
  };
}

/** Makes session ids out of those that it is given, another for each report. */
const numbered: Wrap = ({ impression }) => {
  let made = 0;
  return {
    impression(shown) {
      made += 1;
      return impression({ ...shown, session: `${shown.session}/${made}` });
    },
  };
};

/** The same, but sends a view again only if a flush called it undelivered. */
const numberedIfGivenUp: Wrap = (driver) => {
  const known = new Map<string, { receipt: unknown; hasFailed: boolean }>();
  return {
    async impression(shown) {
      const before = known.get(shown.session);
      if (before !== undefined && !before.hasFailed) return before.receipt;
      const session = `${shown.session}/${before === undefined ? 0 : known.size}`;
      const receipt = await driver.impression({ ...shown, session });
      known.set(shown.session, { receipt, hasFailed: false });
      return receipt;
    },
    async flush() {
      const undelivered = await driver.flush?.();
      for (const one of known.values()) {
        const { impression_id } = one.receipt as { impression_id?: unknown };
        if (impression_id === undefined) one.hasFailed = true;
      }
      return undelivered ?? { impressions: 0, clicks: 0 };
    },
  };
};

interface Defect {
  readonly what: string;
  readonly rule: string;
  readonly client: CreateDriver<never>;
  readonly wrap: Wrap;
}

const defects: readonly Defect[] = [
  {
    what: "takes an ad on another surface for the same view",
    rule: "impression-counts-once",
    client: patient,
    wrap: remembering(({ ad }) => ad),
  },
  {
    what: "takes a view in another session for the same view",
    rule: "impression-counts-once",
    client: patient,
    wrap: remembering(({ surface, ad }) => `${surface} ${ad}`),
  },
  {
    what: "takes another ad on a surface for the same view",
    rule: "impression-counts-once",
    client: patient,
    wrap: remembering(({ surface }) => surface),
  },
  {
    what: "uses the first session for all views",
    rule: "impression-counts-once",
    client: patient,
    wrap: ({ impression }) => {
      let first: string | undefined;
      return {
        impression(shown) {
          first ??= shown.session;
          return impression({ ...shown, session: first });
        },
      };
    },
  },
  {
    what: "remembers a view that it failed to report",
    rule: "said-again-counts-once",
    client: onceOnly as CreateDriver<never>,
    wrap: ({ impression }) => {
      const known = new Set<string>();
      return {
        async impression(shown) {
          if (known.has(shown.session)) return {};
          known.add(shown.session);
          return await impression(shown);
        },
      };
    },
  },
  {
    what: "adds a number to the session that it is given, each time that it sends a view",
    rule: "said-again-counts-once",
    client: queueing,
    wrap: numbered,
  },
  {
    what: "adds a number to the session of a view that it gave up and sends again",
    rule: "said-again-counts-once",
    client: queueing,
    wrap: numberedIfGivenUp,
  },
  {
    what: "clicks on the first view of the ad",
    rule: "click-counts",
    client: patient,
    wrap: ({ impression, click }) => {
      const receipts = new Map<string, unknown>();
      return {
        async impression(shown) {
          const receipt = await impression(shown);
          if (!receipts.has(shown.ad)) receipts.set(shown.ad, receipt);
          return { ...(receipt as object), ad: shown.ad };
        },
        click: (receipt) => click?.(receipts.get((receipt as Shown).ad)),
      };
    },
  },
  {
    what: "drops what doesn't fit into a queue of 40",
    rule: "impression-counts-once",
    client: queueing,
    wrap: ({ impression, flush }) => {
      let queued = 0;
      return {
        impression(shown) {
          queued += 1;
          return queued > 40 ? {} : impression(shown);
        },
        async flush() {
          queued = 0;
          return await flush?.();
        },
      };
    },
  },
  {
    what: "sends at most ten at once and drops the rest",
    rule: "impression-counts-once",
    client: patient,
    wrap: ({ impression }) => {
      let underWay = 0;
      return {
        async impression(shown) {
          if (underWay >= 10) return {};
          underWay += 1;
          try {
            return await impression(shown);
          } finally {
            underWay -= 1;
          }
        },
      };
    },
  },
];

describe("a client with a defect", () => {
  test.each(defects)("breaks $rule if it $what", async ({ rule: id, client, wrap }) => {
    const rule = rules.find((one) => one.id === id);
    if (rule === undefined) throw new Error(`There is no rule ${id}.`);
    expect((await tryRule(rule, client, { runs: runsOf(50) })).kind).toBe("held");
    const tried = await tryRule(rule, changed(client, wrap), { runs: 50 });
    if (tried.kind !== "broken") throw new Error(`${id} was ${tried.kind}.`);
    expectShort(tried.commands, 8);
    expect(tried.broken.message).not.toMatch(/undefined|NaN/);
  });
});

describe("two views of an ad on a surface", () => {
  const twice = [
    { kind: "impression", surface: 0 },
    { kind: "impression", surface: 0, ad: 0 },
    { kind: "impression", surface: 1, ad: 0 },
    { kind: "click", impression: 1 },
  ] as const;

  test("are two tasks if the client uses the sessions that it is given", async () => {
    const session = await runSession(patient, twice);
    const [surface, other] = session.surfaces.map(({ id }) => id);
    expect(eventsOf(session).map(({ name, recorded }) => [name, recorded.length])).toEqual([
      ["ad-1", 1],
      [`ad-1 on ${surface} in session-2`, 1],
      [`the click on ad-1 on ${surface} in session-2`, 1],
      [`ad-1 on ${other} in session-3`, 1],
    ]);
  });

  test("are one task if the client makes its own, and may be recorded once or twice", async () => {
    for (const [client, most] of [
      [ads, 1],
      [changed(patient, ownSessions(0)), 2],
    ] as const) {
      const session = await runSession(client, [...twice, { kind: "again", impression: 2 }]);
      const [views, click, elsewhere] = eventsOf(session);
      expect(views?.views).toHaveLength(2);
      expect(views?.recorded).toHaveLength(most);
      expect([click?.recorded.length, elsewhere?.views.length]).toEqual([1, 1]);
    }
  });

  test("break no rule, however the client counts them", async () => {
    for (const wrap of [ownSessions(0), ownSessions(Number.POSITIVE_INFINITY)]) {
      const session = await runSession(changed(patient, wrap), twice);
      for (const { judge } of rules) judge(session);
    }
  });

  test.each([0, 6])("break no rule if the client remembers %i of its session ids", async (most) => {
    const again = { kind: "again", impression: 0 } as const;
    const session = await runSession(changed(patient, ownSessions(most)), [...twice, again, again]);
    for (const { judge } of rules) judge(session);
    for (const rule of rules.filter(({ id }) => id === "said-again-counts-once")) {
      const tried = await tryRule(rule, changed(patient, ownSessions(most)), { runs: runsOf(50) });
      expect(tried.kind).toBe("held");
    }
  });

  test("may count again when one is reported again after hours, in a session that the client makes", async () => {
    const again = { kind: "again", impression: 0 } as const;
    const hours = { kind: "advance", byMs: 5 * 3_600_000 } as const;
    for (const window of ["30m", "forever"] as const) {
      const assumptions = { "dedup.window": window };
      const session = await runSession(ads, [twice[0], again, hours, again], { assumptions });
      expect(eventsOf(session).map(({ recorded }) => recorded.length)).toEqual([2]);
      for (const { judge } of rules) judge(session);
    }
  });
});
