/** Snapshots: complete, independent of the world, and refused when damaged, without any effect on the world. */

import { describe, expect, test } from "vitest";
import { createSimulator, InputError, type Simulator, type Snapshot } from "../../../src/index.ts";
import { snapshotDigest } from "../../../src/world/accounts/snapshot.ts";
import { impressionIdIn, senderOf } from "../../sender.ts";

function used(): Simulator {
  const sim = createSimulator({ seed: "snapshots", publishers: 3 });
  const signedUp = sim.publishers.signUp({ name: "New", surfaces: ["One", "Two"] });
  for (const publisher of [sim.publishers.at(0), signedUp]) {
    const { impression, post } = senderOf(sim, publisher);
    for (let index = 0; index < 40; index += 1) {
      const surface = publisher.surfaces[index % 2]?.id;
      const session_id = index % 3 === 0 ? undefined : `s${index}`;
      const impression_id = impressionIdIn(impression({ surface, session_id }));
      if (index % 5 === 0) post("click", { impression_id });
      // The last ones are recent enough that a duplicate of them could still arrive.
      sim.clock.advance(index < 34 ? "31m" : "1m");
    }
  }
  return sim;
}

/** A copy that tests may damage. */
// biome-ignore lint/suspicious/noExplicitAny: the test writes invalid values on purpose
type Damaged = any;

function copyOf(snapshot: Snapshot): Damaged {
  return JSON.parse(JSON.stringify(snapshot));
}

const base64 = (values: readonly number[]): string =>
  Buffer.from(new Uint32Array(values).buffer).toString("base64");
const words = (text: string): number[] => {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4));
};

type Damages = Readonly<Record<string, (snapshot: Damaged) => unknown>>;

/** Damage that makes a snapshot invalid, whatever its digest. */
const damages: Damages = {
  null: () => null,
  "a string": (snapshot) => JSON.stringify(snapshot),
  "another format": (snapshot) => ({ ...snapshot, format: "other" }),
  "another version": (snapshot) => ({ ...snapshot, version: 1 }),
  "an additional field": (snapshot) => ({ ...snapshot, extra: 1 }),
  "a missing field": ({ seed: _, ...rest }) => rest,
  "an unknown assumption": (snapshot) => ({ ...snapshot, assumptions: { "no.such": "x" } }),
  "an unknown profile": (snapshot) => ({ ...snapshot, profile: "huge" }),
  "no publishers": (snapshot) => ({ ...snapshot, publishers: 0 }),
  "too many publishers": (snapshot) => ({ ...snapshot, publishers: 1_000_001 }),
  "a clock before the start": (snapshot) => ({ ...snapshot, start: snapshot.clock.now + 1 }),
  "a clock that needs real time": (snapshot) => {
    snapshot.clock.mode = "system";
  },
  "a clock past the year 9999": (snapshot) => {
    snapshot.clock.now = 253_402_300_800_000;
  },
  "an ordinal that no publisher has": ({ accounts }) => {
    accounts[0].ordinal = 3;
  },
  "the same account twice": ({ accounts }) => {
    accounts.push(accounts[0]);
  },
  "a first sign-up that is numbered as the second": ({ accounts }) => {
    for (const account of accounts) if (account.ordinal >= 1_000_000) account.ordinal += 1;
  },
  "a negative key serial": ({ accounts }) => {
    accounts[0].keySerial = -1;
  },
  "a price range upside down": ({ accounts }) => {
    accounts[0].surfaces[0].cpmPaise = [2, 1];
  },
  "more quota used than there is": ({ accounts }) => {
    accounts[0].recordingBucket.used = 10_001;
  },
  "a column cut short": ({ accounts }) => {
    accounts[0].book.impressions.micros = accounts[0].book.impressions.micros.slice(0, -8);
  },
  "a column that isn't base 64": ({ accounts }) => {
    accounts[0].book.impressions.time = "*";
  },
  "a count of one impression too many": ({ accounts }) => {
    accounts[0].book.impressions.count += 1;
  },
  "times without the instant that they count from": ({ accounts }) => {
    accounts[0].book.impressions.epochs = [];
  },
  "the same day twice": ({ accounts }) => {
    accounts[0].book.days[0].push(accounts[0].book.days[0].at(-1));
  },
  "sessions cut short": ({ accounts }) => {
    const { current } = accounts.at(-1).book.recent;
    current.entries = base64(words(current.entries).slice(0, 1));
  },
  "sessions of impressions that don't exist": ({ accounts }) => {
    const { current } = accounts.at(-1).book.recent;
    current.entries = base64(words(current.entries).with(-1, 999));
  },
  "sessions out of order": ({ accounts }) => {
    const { current } = accounts.at(-1).book.recent;
    const entries = words(current.entries);
    current.entries = base64([...entries.slice(-3), ...entries.slice(0, -3)]);
  },
  "a session that two impressions share": ({ accounts }) => {
    const { current } = accounts.at(-1).book.recent;
    const entries = words(current.entries);
    current.entries = base64([
      ...entries.slice(0, -3),
      ...entries.slice(0, 2),
      ...entries.slice(-1),
    ]);
  },
  "another digest": (snapshot) => ({ ...snapshot, digest: "0".repeat(16) }),
  "a surface id that isn't an id": ({ accounts }) => {
    accounts[0].surfaces[0].id = 'é"\n';
  },
  "the surface of another publisher": ({ accounts }) => {
    accounts[0].surfaces[0].id = accounts.at(-1).surfaces[0].id;
  },
};

/** Damage that only the digest reveals, except for the price range, which is also impossible. */
const edits: Damages = {
  "a clock before its impressions": (snapshot) => {
    snapshot.clock.now = snapshot.start;
  },
  "an impression without its credit": ({ accounts }) => {
    const { impressions } = accounts[0].book;
    impressions.micros = base64([0, ...words(impressions.micros).slice(1)]);
  },
  "impressions out of order": ({ accounts }) => {
    const { impressions } = accounts[0].book;
    impressions.time = base64(words(impressions.time).reverse());
  },
  "a missing surface": ({ accounts }) => {
    accounts.at(-1).surfaces = accounts.at(-1).surfaces.slice(0, 1);
  },
  "missing clicks": ({ accounts }) => {
    accounts[0].book.impressions.clicked = Buffer.alloc(5).toString("base64");
  },
  "a day's impressions off by one": ({ accounts }) => {
    accounts[0].book.days[0].at(-1)[1] += 1;
  },
  "a day's revenue off by one": ({ accounts }) => {
    accounts[0].book.days[0].at(-1)[3] += 1;
  },
  "another seed": (snapshot) => ({ ...snapshot, seed: "snapshotz" }),
  "another start": (snapshot) => ({ ...snapshot, start: snapshot.start - 1 }),
  "another choice for an assumption": (snapshot) => {
    snapshot.assumptions["date.timezone"] = "ist";
  },
  "a publisher that joined on another day": ({ accounts }) => {
    accounts[0].joined -= 40;
  },
  "a price range above every bound": ({ accounts }) => {
    accounts[0].surfaces[0].cpmPaise[1] = 1e15;
  },
  "a payment address that breaks JSON": ({ accounts }) => {
    const signedUp = accounts.find((account: Damaged) => account.person !== undefined);
    signedUp.person.upiId = '"';
  },
  "a day from before the publisher joined": ({ accounts }) => {
    accounts[0].book.days[0][0][0] = 0;
  },
  "another key serial": ({ accounts }) => {
    accounts[0].keySerial += 1;
  },
  "a missing account": ({ accounts }) => {
    accounts.pop();
  },
  "two accounts in another order": ({ accounts }) => {
    accounts.reverse();
  },
};

/** The snapshot after the damage. */
function damagedBy(damage: Damages[string], snapshot: Snapshot): Damaged {
  const copy = copyOf(snapshot);
  const damaged = damage(copy);
  return damaged === undefined ? copy : damaged;
}

/** The same with a digest of its present content. */
function sealed(damaged: Damaged): Damaged {
  if (!Array.isArray(damaged?.accounts)) return damaged;
  return { ...damaged, digest: snapshotDigest(damaged) };
}

/** A different number or text. */
function otherThan(value: unknown): unknown {
  return typeof value === "number" ? value + 1 : `${value}x`;
}

/** Every leaf of a JSON value, as a function that changes it in a copy. */
function leavesOf(value: Damaged, path: readonly string[] = []): readonly string[][] {
  if (typeof value !== "object" || value === null) return [[...path]];
  return Object.keys(value).flatMap((key) => leavesOf(value[key], [...path, key]));
}

describe("a damaged snapshot", () => {
  test.each([
    ...Object.entries(damages).map(([name, damage]) => [name, damage, sealed] as const),
    ...Object.entries({ ...damages, ...edits }).map(
      ([name, damage]) => [`${name} and the digest as before`, damage, copyOf] as const,
    ),
  ])("is refused with %s, and changes nothing", (name, damage, finish) => {
    const sim = used();
    const before = JSON.stringify(sim.snapshot());
    const journalled = sim.journal.total;
    const damaged = damagedBy(damage, sim.snapshot());
    const given = name === "another digest" ? damaged : finish(damaged);
    expect(JSON.stringify(given)).not.toBe(before);
    expect(() => sim.restore(given)).toThrow(InputError);
    expect(JSON.stringify(sim.snapshot())).toBe(before);
    expect(sim.journal.total).toBe(journalled);
  });

  test.each(Object.entries(edits))(
    "is detected with %s by its digest or an impossible surface",
    (_, edit) => {
      const sim = used();
      const edited = damagedBy(edit, sim.snapshot());
      expect(() => sim.restore(edited)).toThrow(/^(digest doesn't match|accounts\.0\.surfaces)/);
    },
  );

  test("is refused whichever value in it was changed", () => {
    const sim = used();
    const snapshot = sim.snapshot();
    const target = createSimulator();
    const untouched = JSON.stringify(target.snapshot());
    const leaves = leavesOf(copyOf(snapshot));
    expect(leaves.length).toBeGreaterThan(150);
    for (const path of leaves) {
      const damaged = copyOf(snapshot);
      const last = path.at(-1) ?? "";
      const parent = path.slice(0, -1).reduce((value, key) => value[key], damaged);
      parent[last] = otherThan(parent[last]);
      expect(() => target.restore(damaged), path.join(".")).toThrow(InputError);
    }
    expect(JSON.stringify(target.snapshot())).toBe(untouched);
  });

  test("gets an error that names the surface whose id is impossible", () => {
    const sim = used();
    const damaged = sealed(
      damagedBy(damages["a surface id that isn't an id"] ?? copyOf, sim.snapshot()),
    );
    expect(() => sim.restore(damaged)).toThrow(/^accounts\.0\.surfaces\.0\.id /);
  });
});

/** The same JSON with the members of every object from last to first. */
function reordered(value: Damaged): Damaged {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reordered);
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reordered(member)]));
}

describe("a complete snapshot", () => {
  test("restores into a simulator with other options, and saves as the same bytes", () => {
    const text = JSON.stringify(used().snapshot());
    const other = createSimulator({ seed: "other", profile: "tiny" });
    other.restore(JSON.parse(text));
    expect(JSON.stringify(other.snapshot())).toBe(text);
    expect(other.seed).toBe("snapshots");
  });

  test("is the same snapshot with its members in another order", () => {
    const snapshot = used().snapshot();
    const other = createSimulator();
    other.restore(reordered(copyOf(snapshot)));
    expect(JSON.stringify(other.snapshot())).toBe(JSON.stringify(snapshot));
  });

  test("survives a large history: more than a chunk of rows, and more than 49 days", () => {
    const sim = createSimulator({ journalEntries: 0 });
    const { impression } = senderOf(sim, sim.publishers.at(0));
    for (let index = 0; index < 9000; index += 1) {
      expect(impression().status).toBe(200);
      if (index % 1000 === 0) sim.clock.advance("20d");
    }
    const text = JSON.stringify(sim.snapshot());
    const copy = createSimulator();
    copy.restore(JSON.parse(text));
    expect(JSON.stringify(copy.snapshot())).toBe(text);
  });

  test("doesn't change when the world does", () => {
    const sim = used();
    const snapshot = sim.snapshot();
    const text = JSON.stringify(snapshot);
    const { id, surfaces, apiKey } = sim.publishers.at(0);
    sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { status: "paused" });
    const headers = { authorization: `Bearer ${apiKey}` };
    sim.handle({
      method: "GET",
      path: "/v1/publisher/surfaces",
      query: { publisher_id: id },
      headers,
    });
    sim.publishers.rotateKey(id);
    expect(JSON.stringify(snapshot)).toBe(text);
  });

  test("of a system clock continues in real time, however old it is", () => {
    let wallMs = Date.parse("2026-03-01T00:00:00Z");
    const options = { clock: "system", wallClock: () => wallMs } as const;
    const sim = createSimulator(options);
    const snapshot = sim.snapshot();
    wallMs += 90_000;
    const later = createSimulator(options);
    later.restore(snapshot);
    expect([later.clock.mode, later.clock.now()]).toEqual(["system", wallMs]);
    // A clock that was moved ahead stays ahead: it never runs backwards.
    later.clock.advance("1h");
    expect(later.fork().clock.now()).toBe(wallMs + 3_600_000);
  });

  test("doesn't depend on the order of first requests", () => {
    const texts = [[0, 1, 2] as const, [2, 0, 1] as const].map((order) => {
      const sim = createSimulator({ publishers: 3 });
      for (const index of order) {
        const { id, apiKey } = sim.publishers.at(index);
        const headers = { authorization: `Bearer ${apiKey}` };
        const query = { publisher_id: id };
        sim.handle({ method: "GET", path: "/v1/publisher/stats", query, headers });
      }
      return JSON.stringify(sim.snapshot());
    });
    expect(texts[0]).toBe(texts[1]);
  });

  test("doesn't change what reset does: it goes back to the options", () => {
    const sim = createSimulator({ seed: "mine" });
    sim.restore(used().snapshot());
    sim.reset();
    expect(sim.snapshot()).toEqual(createSimulator({ seed: "mine" }).snapshot());
  });
});
