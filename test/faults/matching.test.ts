/** Which requests a rule considers, how it numbers them, and at which of them it fires. */

import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  createSimulator,
  type FaultMatch,
  type Simulator,
  type SimulatorOptions,
  type Verdict,
} from "../../src/index.ts";
import { impressionIdOf, mark, marked, senderOf } from "../operation-sender.ts";

function simWith(match: FaultMatch, options: SimulatorOptions = {}): Simulator {
  return createSimulator({ faults: [{ match, verdict: mark }], ...options });
}

describe("a rule without conditions fires at", () => {
  const { handle, publishers } = createSimulator({ faults: [{ verdict: mark }] });
  const headers = { authorization: `Bearer ${publishers.at(0).apiKey}` };

  test.each<[what: string, request: ApiRequest]>([
    ["HEAD", { method: "HEAD", path: "/v1/publisher/stats", headers }],
    ["a request without a key", { method: "GET", path: "/v1/publisher/stats" }],
    ["one to no operation", { method: "GET", path: "/", headers }],
    ["one with a wrong method", { method: "DELETE", path: "/v1/click", headers }],
    ["one that would be refused", { method: "POST", path: "/v1/click", headers, body: "{" }],
  ])("%s", (_, request) => {
    expect(handle(request).status).toBe(599);
  });
});

test("operation: the one that would answer, or one of a list; HEAD counts as GET", () => {
  const sim = simWith({ operation: ["stats", "click"] });
  const { publisher, stats, impression, click, nowhere } = senderOf(sim);
  const headers = { authorization: `Bearer ${publisher.apiKey}` };
  const ask = (method: string): number =>
    sim.handle({ method, path: "/v1/publisher/stats", headers }).status;
  expect([stats(), click("x"), impression(), nowhere()].map(({ status }) => status)).toEqual([
    599, 599, 200, 404,
  ]);
  expect([ask("HEAD"), ask("POST")]).toEqual([599, 405]);
});

describe("publisher", () => {
  test("is the one whose key is sent, which may sign up and get a new key later", () => {
    const request = { name: "Later", surfaces: ["One"] };
    const { id } = createSimulator().publishers.signUp(request);
    const sim = simWith({ publisher: [id] });
    expect(senderOf(sim).stats().status).toBe(200);
    expect(sim.handle({ method: "GET", path: "/" }).status).toBe(404);
    const signedUp = sim.publishers.signUp(request);
    expect(senderOf(sim, signedUp).stats().status).toBe(599);
    const { apiKey } = sim.publishers.rotateKey(id);
    expect(senderOf(sim, { ...signedUp, apiKey }).stats().status).toBe(599);
    expect(senderOf(sim, signedUp).stats().status).toBe(401);
  });

  test("is the key's publisher even if the key works for others", () => {
    const sim = createSimulator({ assumptions: { "auth.key-scope": "any" } });
    const [{ apiKey }, named] = [sim.publishers.at(0), sim.publishers.at(1)];
    sim.faults.add({ match: { publisher: named.id }, verdict: mark });
    expect(senderOf(sim, { ...named, apiKey }).stats().status).toBe(200);
    expect(senderOf(sim, named).stats().status).toBe(599);
  });
});

describe("surface", () => {
  test("is the surface of the impression, or of a click's impression", () => {
    const sim = createSimulator();
    const { publisher, impression, click, stats } = senderOf(sim);
    const [first, second] = publisher.surfaces.map(({ id }) => id);
    const made = impressionIdOf(impression());
    sim.faults.add({ match: { surface: [first ?? "", "srf_x"] }, verdict: mark });
    const statuses = (): number[] =>
      [impression(), click(made), click("imp_unknown"), stats()].map(({ status }) => status);
    expect(statuses()).toEqual([599, 599, 404, 200]);
    sim.faults.clear();
    sim.faults.add({ match: { surface: second }, verdict: mark });
    expect(statuses()).toEqual([200, 200, 404, 200]);
  });

  test.each([
    ["publisher", 404],
    ["any", 599],
  ] as const)(
    "under auth.key-scope=%s, a click on another publisher's gets %i",
    (scope, status) => {
      const sim = createSimulator({ assumptions: { "auth.key-scope": scope } });
      const [own, foreign] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
      const made = impressionIdOf(foreign.impression());
      sim.faults.add({ match: { surface: foreign.publisher.surfaces[0]?.id }, verdict: mark });
      expect(own.click(made).status).toBe(status);
      expect(foreign.click(made).status).toBe(599);
      const body = { impression_id: made };
      expect(sim.handle({ method: "POST", path: "/v1/click", body }).status).toBe(401);
    },
  );
});

describe("a window", () => {
  const at = (time: string): string => `2026-03-01T${time}`;
  const repeat = { for: "2s", every: "5s" };

  // The seconds after 10:00:00 at which the rule fires, among the first twelve.
  test.each<[match: FaultMatch, seconds: readonly number[]]>([
    [{ from: at("10:00:02Z"), until: at("15:30:04+05:30") }, [2, 3]],
    [{ from: at("10:00:09.001Z") }, [10, 11]],
    [{ from: at("10:00:01Z"), repeat }, [1, 2, 6, 7, 11]],
    [{ from: at("10:00:01Z"), until: at("10:00:07Z"), repeat }, [1, 2, 6]],
    // Without a start from 1970: minutes begin on the minute.
    [{ repeat: { for: "2s", every: "1m" } }, [0, 1]],
    [{ until: at("10:00:06Z"), repeat: { for: "59s", every: "1m" }, every: 2 }, [1, 3, 5]],
    // Only the requests inside it have numbers.
    [{ repeat, nth: [2, 3] }, [1, 5]],
  ])("%j fires in the seconds %j", (match, seconds) => {
    const sim = simWith(match, { start: at("10:00:00Z") });
    const { nowhere } = senderOf(sim);
    const places = marked(12, () => {
      const response = nowhere();
      sim.clock.advance("1s");
      return response;
    });
    expect(places.map((place) => place - 1)).toEqual(seconds);
  });

  test("follows the world's clock after it is set", () => {
    const sim = simWith({ from: "2026-02-01", until: "2026-02-02" });
    expect(senderOf(sim).nowhere().status).toBe(404);
    sim.clock.set({ nowMs: Date.UTC(2026, 1, 1, 12) });
    expect(senderOf(sim).nowhere().status).toBe(599);
  });
});

describe("numbers", () => {
  test.each<[match: FaultMatch, places: readonly number[]]>([
    [{ nth: 3 }, [3]],
    [{ nth: [1, 5, 5, 4] }, [1, 4, 5]],
    [{ every: 4 }, [4, 8, 12]],
    [{ times: 2 }, [1, 2]],
    [{ times: 2, every: 3 }, [3, 6]],
    [{ nth: [3, 4, 8], every: 4 }, [4, 8]],
    [{ nth: [3, 4, 8], every: 4, times: 1 }, [4]],
    [{ operation: "stats", nth: 1 }, []],
  ])("%j fires at %j", (match, places) => {
    expect(marked(12, senderOf(simWith(match)).nowhere)).toEqual(places);
  });

  test("count only the requests that match the rule", () => {
    const { impression, stats } = senderOf(simWith({ operation: "impression", nth: 2 }));
    const statuses = [stats(), impression(), stats(), impression(), impression()];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 599, 200]);
  });

  test("count separately for each publisher, and together for requests without a key", () => {
    const sim = simWith({ nth: 2, times: 1 });
    const [one, two] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
    const stranger = (authorization = ""): number =>
      sim.handle({ method: "GET", path: "/", headers: { authorization } }).status;
    expect([one.nowhere().status, two.nowhere().status, stranger()]).toEqual([404, 404, 404]);
    expect([one.nowhere().status, stranger("Bearer x"), two.nowhere().status]).toEqual([
      599, 599, 599,
    ]);
    expect(sim.faults.list()[0]).toMatchObject({ seen: 6, fired: 3 });
  });

  test("count over all publishers if the rule says so", () => {
    const sim = simWith({ every: 2, times: 2, per: "world" });
    const [one, two] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
    expect(marked(8, (place) => (place % 3 === 0 ? two : one).nowhere())).toEqual([2, 4]);
  });
});

describe("several rules", () => {
  const first: Verdict = { kind: "respond", status: 501 };
  const second: Verdict = { kind: "respond", status: 502 };

  test.each<[matches: readonly [FaultMatch, FaultMatch], statuses: readonly number[]]>([
    [
      [{ every: 2 }, {}],
      [502, 501, 502, 501],
    ],
    // Each counts all requests that it looks at, whichever rule fires.
    [
      [{ nth: [1, 3] }, { every: 3 }],
      [501, 404, 501, 404, 404, 502],
    ],
    // `times` limits only those at which a rule fired itself.
    [
      [{ nth: 1 }, { times: 1 }],
      [501, 502, 404],
    ],
  ])("are tried in order, and the first that fires decides: %j", ([one, two], statuses) => {
    const faults = [
      { match: one, verdict: first },
      { id: "second", match: two, verdict: second },
    ];
    const sim = createSimulator({ faults });
    const { nowhere } = senderOf(sim);
    expect(statuses.map(() => nowhere().status)).toEqual(statuses);
    const fired = statuses.filter((status) => status === 502).length;
    expect(sim.faults.get("second")).toMatchObject({ seen: statuses.length, fired });
  });

  test("are tried in order even if there are a thousand", () => {
    const sim = createSimulator();
    const { publisher, impression } = senderOf(sim);
    const surface = publisher.surfaces[1]?.id;
    for (let index = 0; index < 999; index += 1) {
      sim.faults.add({ match: { surface }, verdict: first });
    }
    sim.faults.add({ verdict: second });
    expect(impression().status).toBe(502);
  });
});
