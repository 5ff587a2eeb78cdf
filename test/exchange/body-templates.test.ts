/** Impressions in plain JSON take a fast path. Its answers must be the same as those of the full path. */

import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { BodyTemplates } from "../../src/exchange/body-templates.ts";
import { type Choices, createSimulator, type Simulator } from "../../src/index.ts";

type Triplets = readonly [short: Simulator, full: Simulator, unseen: Simulator];

/**
 * Three identical worlds in which every key was used before, since the fast path needs that. The first and the
 * third take it (the third with its journal off). The second gets the type in capitals, and takes the full path.
 */
function triplets(assumptions: Choices = {}): Triplets {
  const make = (journalEntries?: number): Simulator => {
    const options = { seed: "usual", publishers: 3, assumptions, explain: true, journalEntries };
    const sim = createSimulator(options);
    for (const { id, apiKey } of sim.publishers.credentials(3)) use(sim, id, apiKey);
    return sim;
  };
  return [make(), make(), make(0)];
}

function use(sim: Simulator, id: string, apiKey: string): void {
  const headers = { authorization: `Bearer ${apiKey}` };
  const query = { publisher_id: id };
  sim.handle({ method: "GET", path: "/v1/publisher/surfaces", headers, query });
}

const IN_CAPITALS = "Application/JSON";

interface Sent {
  readonly apiKey: string;
  readonly body: string | Readonly<Record<string, unknown>>;
}

/** The answer, which must be the same in all three worlds; the journal entries must be the same too. */
function answerOf([short, full, unseen]: Triplets, { apiKey, body }: Sent): string {
  const send = (sim: Simulator, contentType: string) => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": contentType };
    const response = sim.handle({ method: "POST", path: "/v1/impression", headers, body });
    const [entry] = sim.journal.entries({ limit: 1 });
    return { response, entry: { ...entry, request: undefined } };
  };
  const said = inspect(body);
  const shortly = send(short, "application/json");
  expect(shortly, said).toEqual(send(full, IN_CAPITALS));
  expect(send(unseen, "application/json").response, said).toEqual(shortly.response);
  expect(unseen.journal.total).toBe(short.journal.total);
  return shortly.response.body;
}

const caller = createSimulator({ seed: "usual", publishers: 3 }).publishers.at(0);
const stranger = createSimulator({ seed: "usual", publishers: 3 }).publishers.at(1);
const surface = caller.surfaces.find(({ status }) => status === "active")?.id ?? "";
const members = { publisher_id: caller.id, surface, ad_id: "ad-1", session_id: "session-1" };
const compact = JSON.stringify(members);
const spaced = compact.replaceAll('":"', '": "').replaceAll('","', '", "');

const bodies: Readonly<Record<string, string>> = {
  "as JavaScript writes it": compact,
  "as Python writes it": spaced,
  indented: JSON.stringify(members, undefined, 2),
  "without a session": JSON.stringify({ ...members, session_id: undefined }),
  "with an empty session": JSON.stringify({ ...members, session_id: "" }),
  "with an empty ad": JSON.stringify({ ...members, ad_id: "" }),
  "with a session that isn't text": JSON.stringify({ ...members, session_id: 7 }),
  "with an ad that isn't text": compact.replace('"ad-1"', "1"),
  "with an escape in the ad": compact.replace("ad-1", String.raw`ad-\u0031`),
  "with an escaped quote in the session": compact.replace("session-1", String.raw`session\"1`),
  "with a backslash at the end": compact.replace("session-1", String.raw`session-1\\`),
  "with more than ASCII in the session": compact.replace("session-1", "सत्र"),
  "with a control character": compact.replace("ad-1", "ad\t1"),
  "with a member more": JSON.stringify({ ...members, extra: "1" }),
  "with a member twice": compact.replace("}", ',"session_id":"session-2"}'),
  "in another order": JSON.stringify(Object.fromEntries(Object.entries(members).reverse())),
  "with the session before the ad": `{"publisher_id":"${caller.id}","surface":"${surface}","session_id":"s","ad_id":"a"}`,
  "with a space at its end": `${compact} `,
  "with a space before it": ` ${compact}`,
  "with spaces in one place only": compact.replace(',"session_id":', ', "session_id":'),
  "with two spaces": spaced.replace(": ", ":  "),
  "cut short": compact.slice(0, -1),
  "cut short in the session": compact.slice(0, -5),
  "cut short before the ad": compact.slice(0, compact.indexOf('"ad_id"') + 3),
  "with something behind it": `${compact}x`,
  "of another publisher": compact.replace(caller.id, stranger.id),
  "on a surface of another publisher": compact.replace(surface, stranger.surfaces[0]?.id ?? ""),
  "on a surface that only ends like one": compact.replace(
    surface,
    `srf_0000000000${surface.slice(-3)}`,
  ),
  "on a surface that only begins like one": compact.replace(surface, `${surface.slice(0, -1)}!`),
  "with the names of members in another case": compact.replace("ad_id", "AD_ID"),
  empty: "",
  "an opening and nothing else": compact.slice(0, compact.indexOf("ad-1")),
};

class Impression {
  publisher_id = caller.id;
  surface = surface;
  ad_id = "ad-1";
  session_id = "session-1";
}
class Titled extends Impression {
  toJSON(): object {
    return { ...members, ad_id: "ad-2" };
  }
}

/** Bodies that are passed as objects, created anew for each use. */
const objects: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  "as it is": () => ({ ...members }),
  "in another order": () => Object.fromEntries(Object.entries(members).reverse()),
  "without a session": () => ({ ...members, session_id: undefined }),
  "that says nothing of a session": () => {
    const { session_id: _, ...rest } = members;
    return rest;
  },
  "with an empty session": () => ({ ...members, session_id: "" }),
  "with an empty ad": () => ({ ...members, ad_id: "" }),
  "with no ad": () => ({ ...members, ad_id: undefined }),
  "with null for a session": () => ({ ...members, session_id: null }),
  "with a session that is a number": () => ({ ...members, session_id: 7 }),
  "with an ad that is a String": () => ({ ...members, ad_id: new String("ad-1") }),
  "with more than ASCII in the session": () => ({ ...members, session_id: "सत्र" }),
  "with half a character": () => ({ ...members, session_id: "\ud800" }),
  "with quotation marks": () => ({ ...members, ad_id: 'ad"1', session_id: "a\\b" }),
  "with a control character": () => ({ ...members, ad_id: "ad\t1" }),
  "with a long session": () => ({ ...members, session_id: "s".repeat(1001) }),
  "with a session longer than what is read": () => ({ ...members, session_id: "s".repeat(70_000) }),
  "with a member more": () => ({ ...members, extra: "1" }),
  "with a member more that is undefined": () => ({ ...members, extra: undefined }),
  "with a member more instead of a session": () => ({
    ...members,
    session_id: undefined,
    extra: "1",
  }),
  "of another publisher": () => ({ ...members, publisher_id: stranger.id }),
  "on a surface of another publisher": () => ({ ...members, surface: stranger.surfaces[0]?.id }),
  "on no surface": () => ({ ...members, surface: undefined }),
  "without a prototype": () => Object.assign(Object.create(null), members),
  "of a class": () => ({ ...new Impression() }),
  "of a class of its own": () => new Impression() as unknown as Record<string, unknown>,
  "that says itself what it is as JSON": () => new Titled() as unknown as Record<string, unknown>,
  "that says so by a member that isn't listed": () =>
    Object.defineProperty({ ...members }, "toJSON", { value: () => ({}) }),
  "whose session is inherited": () => {
    const { session_id, ...rest } = members;
    return Object.assign(Object.create({ session_id }), rest);
  },
  "whose session isn't listed": () => {
    const { session_id: value, ...rest } = members;
    return Object.defineProperty(rest, "session_id", { value });
  },
  "whose publisher isn't listed": () => {
    const { publisher_id: value, ...rest } = members;
    return Object.defineProperty({ ...rest, session_id: undefined }, "publisher_id", { value });
  },
  "that reads its session when asked": () =>
    Object.defineProperty({ ...members }, "session_id", {
      get: () => "session-1",
      enumerable: true,
    }),
  "that can't be read": () =>
    Object.defineProperty({ ...members }, "ad_id", {
      get: () => expect.unreachable("read"),
      enumerable: true,
    }),
  "that is empty": () => ({}),
};

test("the fast path reads bodies on every surface, with and without a session, with any spacing", () => {
  const usual = new BodyTemplates(caller);
  for (const [surfaceIndex, { id }] of caller.surfaces.entries()) {
    const body = JSON.stringify({ ...members, surface: id });
    const dedupInput = { ad: "ad-1", session: "session-1" };
    for (const text of [body, body.replaceAll('":"', '": "').replaceAll('","', '", "')]) {
      expect(usual.read(text)).toEqual({ account: caller, surfaceIndex, dedupInput });
    }
    expect(usual.readMembers(JSON.parse(body))).toEqual({
      account: caller,
      surfaceIndex,
      dedupInput,
    });
    const alone = JSON.stringify({ ...members, surface: id, session_id: undefined });
    for (const text of [alone, alone.replaceAll('":"', '": "').replaceAll('","', '", "')]) {
      expect(usual.read(text)).toEqual({ account: caller, surfaceIndex, dedupInput: undefined });
    }
    expect(usual.readMembers(JSON.parse(alone))).toEqual({
      account: caller,
      surfaceIndex,
      dedupInput: undefined,
    });
  }
});

test("a key takes the fast path after its first use, and no longer once it is rotated", () => {
  const read = vi.spyOn(BodyTemplates.prototype, "read");
  const [sim] = triplets();
  const headers = { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" };
  const send = () => sim.handle({ method: "POST", path: "/v1/impression", headers, body: compact });
  expect(send().status).toBe(200);
  expect(read.mock.results.map(({ value }) => value)).toMatchObject([{ surfaceIndex: 0 }]);
  sim.publishers.rotateKey(caller.id);
  expect(send().status).toBe(401);
  expect(read).toHaveBeenCalledTimes(1);
  read.mockRestore();
});

describe("an impression gets the same answer on the fast path as on the full path", () => {
  test.each(Object.keys(bodies))("%s", (name) => {
    const worlds = triplets();
    const body = bodies[name] ?? "";
    answerOf(worlds, { apiKey: caller.apiKey, body });
    // The recorded data are the same too: the second request is a duplicate on both paths or on neither.
    answerOf(worlds, { apiKey: caller.apiKey, body });
    answerOf(worlds, { apiKey: caller.apiKey, body: compact });
  });

  test.each(Object.keys(objects))("an object %s", (name) => {
    const worlds = triplets();
    const make = objects[name] ?? (() => ({}));
    answerOf(worlds, { apiKey: caller.apiKey, body: make() });
    answerOf(worlds, { apiKey: caller.apiKey, body: make() });
    // The same impression as text.
    answerOf(worlds, { apiKey: caller.apiKey, body: compact });
  });

  test("an object with arbitrary members", () => {
    const worlds = triplets();
    const value = (usual: string): fc.Arbitrary<unknown> =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(usual) },
        { weight: 2, arbitrary: fc.string() },
        { weight: 1, arbitrary: fc.constantFrom(undefined, null, "", 7, true, {}, ["s"]) },
      );
    const body = fc.record(
      {
        publisher_id: value(caller.id),
        surface: value(surface),
        ad_id: value("ad-1"),
        session_id: value("session-1"),
      },
      { noNullPrototype: true },
    );
    const extra = fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.string()) },
    );
    fc.assert(
      fc.property(body, extra, fc.boolean(), (members, more, isReversed) => {
        const all = Object.entries({ ...members, ...more });
        const made = Object.fromEntries(isReversed ? all.reverse() : all);
        answerOf(worlds, { apiKey: caller.apiKey, body: made });
        for (const sim of worlds) sim.clock.advance("1s");
      }),
      { numRuns: 2000 },
    );
  });

  test("a value that isn't a body", () => {
    for (const body of [null, 7, true, [], [members], Symbol.iterator, () => members, new Map()]) {
      answerOf(triplets(), { apiKey: caller.apiKey, body: body as unknown as string });
    }
  });

  test.each(caller.surfaces.map(({ id }) => id))("on surface %s, in both spacings", (id) => {
    const worlds = triplets();
    for (const body of [compact, spaced]) {
      answerOf(worlds, { apiKey: caller.apiKey, body: body.replace(surface, id) });
    }
  });

  test("a plain body with arbitrary changes", () => {
    const worlds = triplets();
    const change = fc.record({
      body: fc.constantFrom(compact, spaced),
      at: fc.nat({ max: spaced.length }),
      dropped: fc.nat({ max: 3 }),
      added: fc.oneof(
        fc.constantFrom("", '"', "\\", ",", ":", " ", "}", "{", "\u0000", "é", "\ud800"),
        fc.string({ maxLength: 3 }),
      ),
    });
    fc.assert(
      fc.property(change, ({ body, at, dropped, added }) => {
        const changed = body.slice(0, at) + added + body.slice(at + dropped);
        answerOf(worlds, { apiKey: caller.apiKey, body: changed });
        for (const sim of worlds) sim.clock.advance("1s");
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  { "ids.format": "uuid" },
  { "ids.format": "digits" },
  { "ids.format": "url-unsafe" },
  { "auth.key-scope": "any" },
  { "dedup.key": "session" },
  { "request.encoding": "form" },
  { "dedup.repeat": "conflict" },
  { "dedup.repeat": "count" },
  { "dedup.window": "forever" },
  { "surface.inactive": "uncredited", "surface.statuses": "extended" },
  { "surface.statuses": "extended" },
  { "response.form": "evolved", "money.precision": "paise" },
] satisfies Choices[])("under %o too", (assumptions) => {
  const worlds = triplets(assumptions);
  for (const of of [0, 1, 2]) {
    const { id, apiKey, surfaces } = worlds[0].publishers.at(of);
    for (const on of surfaces) {
      const body = JSON.stringify({
        publisher_id: id,
        surface: on.id,
        ad_id: "a",
        session_id: "s",
      });
      for (const key of [apiKey, caller.apiKey]) {
        answerOf(worlds, { apiKey: key, body });
        answerOf(worlds, { apiKey: key, body: body.replaceAll(":", ": ").replaceAll(",", ", ") });
      }
    }
  }
});

test("the paths agree for a publisher that signed up, had its key rotated, and was restored from a snapshot", () => {
  const worlds = triplets();
  const [joined] = worlds.map((sim) => sim.publishers.signUp({ surfaces: ["One", "Two"] }));
  if (joined === undefined) throw new Error("Nobody signed up.");
  const bodyOn = (place: number, session: string): string => {
    const on = joined.surfaces[place]?.id;
    return JSON.stringify({
      publisher_id: joined.id,
      surface: on,
      ad_id: "a",
      session_id: session,
    });
  };
  expect(answerOf(worlds, { apiKey: joined.apiKey, body: bodyOn(0, "s") })).toContain('"ok":true');
  const [rotated] = worlds.map((sim) => sim.publishers.rotateKey(joined.id));
  const apiKey = rotated?.apiKey ?? "";
  expect(answerOf(worlds, { apiKey: joined.apiKey, body: bodyOn(1, "s") })).toContain("API key");
  expect(answerOf(worlds, { apiKey, body: bodyOn(1, "s") })).toContain('"ok":true');
  for (const sim of worlds) sim.restore(sim.snapshot());
  expect(answerOf(worlds, { apiKey, body: bodyOn(1, "s") })).toContain('"revenue_credited_inr":0}');
});

describe("both paths apply the limit alike, and count refusals alike", () => {
  test.each([{}, { "limit.recording-pool": "separate" }] satisfies Choices[])(
    "%o",
    (assumptions) => {
      const worlds = triplets(assumptions);
      const send = (sim: Simulator, contentType: string, session: number): number =>
        sim.handle({
          method: "POST",
          path: "/v1/impression",
          headers: { authorization: `Bearer ${caller.apiKey}`, "content-type": contentType },
          body: JSON.stringify({ ...members, session_id: `session-${session}` }),
        }).status;
      for (let session = 0; session < 9_999; session += 1) {
        for (const sim of worlds) send(sim, "application/json", session);
      }
      const paused = caller.surfaces.find(({ id }) => id !== surface)?.id ?? "";
      for (const sim of worlds) sim.publishers.setSurface(caller.id, paused, { status: "paused" });
      const onPaused = compact.replace(surface, paused);
      expect(answerOf(worlds, { apiKey: caller.apiKey, body: onPaused })).toContain(
        "surface_inactive",
      );
      for (const body of [compact, spaced, compact, "{}"]) {
        const answer = answerOf(worlds, { apiKey: caller.apiKey, body });
        if (body === "{}") expect(answer).toContain("rate_limited");
      }
      const [short, full, unseen] = worlds.map((sim) => JSON.stringify(sim.audit()));
      expect([full, unseen]).toEqual([short, short]);
    },
  );
});

test("an impression without headers gets 401", () => {
  for (const sim of triplets()) {
    const { status, body } = sim.handle({ method: "POST", path: "/v1/impression", body: compact });
    expect([status, body]).toEqual([401, expect.stringContaining("unauthorized")]);
  }
});

test("journal.waitFor resolves with an impression even if the journal is off", async () => {
  const [, , unseen] = triplets();
  const waiting = unseen.journal.waitFor({ operation: "impression" });
  const headers = { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" };
  const request = { method: "POST", path: "/v1/impression", headers, body: compact };
  const response = unseen.handle(request);
  expect(await waiting).toMatchObject([{ sequence: 4, request: { body: compact }, response }]);
});

describe("headers", () => {
  const sent = (headers: Record<string, string>) => {
    const [sim] = triplets();
    const response = sim.handle({ method: "POST", path: "/v1/impression", headers, body: compact });
    return { status: response.status, body: response.body };
  };
  const bearer = `Bearer ${caller.apiKey}`;
  const recorded = sent({ authorization: bearer, "content-type": "application/json" });

  test.each([
    { AUTHORIZATION: bearer, "content-TYPE": "application/json" },
    // The lower-case spelling wins over any other.
    { authorization: bearer, Authorization: "Bearer x", "content-type": "application/json" },
    { Authorization: "Bearer x", authorization: bearer, "content-type": "application/json" },
    { authorization: bearer, "Content-Type": "text/plain", "content-type": "application/json" },
    // Takes the full path.
    { authorization: bearer, "content-type": IN_CAPITALS },
    // No type at all, and one with a parameter that is accepted too.
    { authorization: bearer },
    { authorization: bearer, "Content-Type": "application/json;charset=UTF-8" },
  ])("%o get the same answer", (headers) => {
    expect(recorded.status).toBe(200);
    expect(sent(headers)).toEqual(recorded);
  });

  test("a header with the value undefined counts as missing, whether or not the key was used before", () => {
    const headers = { authorization: undefined, Authorization: bearer } as object;
    const typed = { ...headers, "content-type": "application/json" };
    const unused = createSimulator({ seed: "usual", publishers: 3 });
    const [used] = triplets();
    for (const sim of [unused, used]) {
      const request = { method: "POST", path: "/v1/impression", headers: typed, body: compact };
      expect(sim.handle(request).status).toBe(200);
    }
  });

  test.each(["content-encoding", "Content-Encoding", "CONTENT-ENCODING"])(
    "an encoded body is refused, with the header spelt %s",
    (name) => {
      const headers = { authorization: bearer, "content-type": "application/json", [name]: "gzip" };
      expect(sent(headers).status).toBe(415);
    },
  );
});
