/** Which requests a rule considers, how it numbers them, and at which of them it fires. */

import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  createSimulator,
  type FaultMatch,
  type FaultRequest,
  type Simulator,
  type SimulatorOptions,
  type Verdict,
} from "../../src/index.ts";
import { impressionIdOf, mark, marked, senderOf } from "../operation-sender.ts";

function simWith(match: FaultMatch, options: SimulatorOptions = {}): Simulator {
  return createSimulator({ faults: [{ match, verdict: mark }], ...options });
}

describe("a rule without conditions", () => {
  const sim = createSimulator({ faults: [{ verdict: mark }] });
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const query = { publisher_id: id };
  const requests: Readonly<Record<string, ApiRequest>> = {
    "a request": { method: "GET", path: "/v1/publisher/stats", query, headers },
    HEAD: { method: "HEAD", path: "/v1/publisher/stats", query, headers },
    "one without a key": { method: "GET", path: "/v1/publisher/stats", query },
    "one to no operation": { method: "GET", path: "/", headers },
    "one with a wrong method": { method: "DELETE", path: "/v1/click", headers },
    "one with a slash at the end": { method: "POST", path: "/v1/click/", headers },
    "one that would be refused": { method: "POST", path: "/v1/click", headers, body: "{" },
  };

  test.each(Object.entries(requests))("fires at %s", (_, request) => {
    expect(sim.handle(request).status).toBe(599);
  });
});

describe("operation", () => {
  test("is the operation that would answer, and HEAD counts as GET", () => {
    const sim = simWith({ operation: "stats" });
    const { publisher, stats, impression, nowhere } = senderOf(sim);
    const headers = { authorization: `Bearer ${publisher.apiKey}` };
    expect(stats().status).toBe(599);
    expect(impression().status).toBe(200);
    expect(nowhere().status).toBe(404);
    const head = sim.handle({ method: "HEAD", path: "/v1/publisher/stats", headers });
    expect(head.status).toBe(599);
    const wrong = sim.handle({ method: "POST", path: "/v1/publisher/stats", headers });
    expect(wrong.status).toBe(405);
  });

  test("can be a list", () => {
    const { stats, impression, click } = senderOf(simWith({ operation: ["stats", "click"] }));
    expect([stats(), impression(), click("imp_x")].map(({ status }) => status)).toEqual([
      599, 200, 599,
    ]);
  });
});

describe("publisher", () => {
  test("is the one whose key is sent", () => {
    const id = createSimulator().publishers.at(1).id;
    const sim = simWith({ publisher: id });
    expect(senderOf(sim).stats().status).toBe(200);
    expect(senderOf(sim, sim.publishers.at(1)).stats().status).toBe(599);
    expect(sim.handle({ method: "GET", path: "/" }).status).toBe(404);
  });

  test("may sign up after the rule was added", () => {
    const request = { name: "Later", surfaces: ["One"] };
    const { id } = createSimulator().publishers.signUp(request);
    const sim = simWith({ publisher: [id] });
    expect(senderOf(sim).stats().status).toBe(200);
    const signedUp = sim.publishers.signUp(request);
    expect(senderOf(sim, signedUp).stats().status).toBe(599);
    // The publisher counts, not its key.
    const { apiKey } = sim.publishers.rotateKey(id);
    expect(senderOf(sim, { ...signedUp, apiKey }).stats().status).toBe(599);
    expect(senderOf(sim, signedUp).stats().status).toBe(401);
  });

  test("is the key's publisher even if the key works for others", () => {
    const sim = createSimulator({ assumptions: { "auth.key-scope": "any" } });
    const [caller, named] = [sim.publishers.at(0), sim.publishers.at(1)];
    sim.faults.add({ match: { publisher: named.id }, verdict: mark });
    const { apiKey } = caller;
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
    sim.faults.add({ id: "first", match: { surface: [first ?? "", "srf_x"] }, verdict: mark });
    expect(impression().status).toBe(599);
    expect(click(made).status).toBe(599);
    expect(click("imp_unknown").status).toBe(404);
    expect(stats().status).toBe(200);
    sim.faults.clear();
    sim.faults.add({ match: { surface: second }, verdict: mark });
    expect([impression().status, click(made).status]).toEqual([200, 200]);
  });

  test("isn't looked up among another publisher's impressions, which the answers would reveal", () => {
    const sim = createSimulator();
    const [own, foreign] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
    const made = impressionIdOf(foreign.impression());
    const surface = foreign.publisher.surfaces[0]?.id;
    sim.faults.add({ match: { surface }, verdict: mark });
    expect(own.click(made).status).toBe(404);
    const body = { impression_id: made };
    expect(sim.handle({ method: "POST", path: "/v1/click", body }).status).toBe(401);
    expect(foreign.click(made).status).toBe(599);
    expect(sim.faults.list()[0]).toMatchObject({ seen: 1, fired: 1 });
  });

  test("is looked up among them if a key works for every publisher", () => {
    const sim = createSimulator({ assumptions: { "auth.key-scope": "any" } });
    const [own, foreign] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
    const made = impressionIdOf(foreign.impression());
    sim.faults.add({ match: { surface: foreign.publisher.surfaces[0]?.id }, verdict: mark });
    expect(own.click(made).status).toBe(599);
  });
});

describe("a window", () => {
  const start = "2026-03-01T10:00:00Z";
  /** The seconds after the start at which the rule fires, among the first `seconds`. */
  function secondsOf(match: FaultMatch, seconds: number): number[] {
    const sim = simWith(match, { start });
    const { nowhere } = senderOf(sim);
    return marked(seconds, () => {
      const response = nowhere();
      sim.clock.advance("1s");
      return response;
    }).map((place) => place - 1);
  }

  test("includes its first instant and excludes its last", () => {
    const match = { from: "2026-03-01T10:00:02Z", until: "2026-03-01T15:30:04+05:30" };
    expect(secondsOf(match, 6)).toEqual([2, 3]);
    const sim = simWith({ from: "2026-03-01T10:00:00.001Z" }, { start });
    const { nowhere } = senderOf(sim);
    expect(nowhere().status).toBe(404);
    sim.clock.advance(1);
    expect(nowhere().status).toBe(599);
  });

  test("may repeat, counted from its start", () => {
    const repeat = { for: "2s", every: "5s" };
    expect(secondsOf({ from: "2026-03-01T10:00:01Z", repeat }, 12)).toEqual([1, 2, 6, 7, 11]);
    const until = "2026-03-01T10:00:07Z";
    expect(secondsOf({ from: "2026-03-01T10:00:01Z", until, repeat }, 12)).toEqual([1, 2, 6]);
  });

  test("without a start repeats from 1970: minutes begin on the minute", () => {
    const sim = simWith({ repeat: { for: "10s", every: "1m" } }, { start: "2026-03-01T10:00:59Z" });
    const { nowhere } = senderOf(sim);
    const at = marked(70, () => {
      const response = nowhere();
      sim.clock.advance("1s");
      return response;
    });
    expect(at).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 62, 63, 64, 65, 66, 67, 68, 69, 70]);
  });

  test("numbers only the requests inside it", () => {
    const repeat = { for: "2s", every: "5s" };
    expect(secondsOf({ repeat, nth: [2, 3] }, 12)).toEqual([1, 5]);
  });
});

describe("numbers", () => {
  const places = (match: FaultMatch, count = 12): number[] =>
    marked(count, senderOf(simWith(match)).nowhere);

  test("nth: one number, or several", () => {
    expect(places({ nth: 3 })).toEqual([3]);
    expect(places({ nth: [1, 5, 5, 4] })).toEqual([1, 4, 5]);
  });

  test("every: each multiple", () => {
    expect(places({ every: 4 })).toEqual([4, 8, 12]);
    expect(places({ every: 1 }, 3)).toEqual([1, 2, 3]);
  });

  test("times: so many, then never again", () => {
    expect(places({ times: 2 })).toEqual([1, 2]);
    expect(places({ times: 2, every: 3 })).toEqual([3, 6]);
  });

  test("conditions all have to hold", () => {
    expect(places({ nth: [3, 4, 8], every: 4 })).toEqual([4, 8]);
    expect(places({ nth: [3, 4, 8], every: 4, times: 1 })).toEqual([4]);
    expect(places({ operation: "stats", nth: 1 })).toEqual([]);
  });

  test("count only the requests that match the rule", () => {
    const { impression, stats } = senderOf(simWith({ operation: "impression", nth: 2 }));
    const statuses = [stats(), impression(), stats(), impression(), impression()];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 599, 200]);
  });

  test("count separately for each publisher, and together for requests without a key", () => {
    const sim = simWith({ nth: 2, times: 1 });
    const [one, two] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
    const stranger = { method: "GET", path: "/" };
    expect(one.nowhere().status).toBe(404);
    expect(two.nowhere().status).toBe(404);
    expect(sim.handle(stranger).status).toBe(404);
    expect(one.nowhere().status).toBe(599);
    expect(sim.handle({ ...stranger, headers: { authorization: "Bearer x" } }).status).toBe(599);
    expect(two.nowhere().status).toBe(599);
    expect(sim.faults.list()[0]).toMatchObject({ seen: 6, fired: 3 });
  });

  test("count over all publishers if the rule says so", () => {
    const sim = simWith({ every: 2, times: 2, per: "world" });
    const [one, two] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
    const sent = marked(8, (place) => (place % 3 === 0 ? two : one).nowhere());
    expect(sent).toEqual([2, 4]);
  });
});

describe("several rules", () => {
  const first: Verdict = { kind: "respond", status: 501 };
  const second: Verdict = { kind: "respond", status: 502 };

  test("are tried in order, and the first that fires decides", () => {
    const sim = createSimulator({ faults: [{ match: { every: 2 }, verdict: first }] });
    sim.faults.add({ verdict: second });
    const { nowhere } = senderOf(sim);
    const statuses = [1, 2, 3, 4].map(() => nowhere().status);
    expect(statuses).toEqual([502, 501, 502, 501]);
  });

  test("each count all requests that match, whether or not an earlier rule fired", () => {
    const later = { id: "later", match: { every: 3 }, verdict: second };
    const sim = createSimulator({
      faults: [{ id: "earlier", match: { nth: [1, 3] }, verdict: first }, later],
    });
    const after = senderOf(sim);
    const statuses = Array.from({ length: 9 }, () => after.nowhere().status);
    expect(statuses).toEqual([501, 404, 501, 404, 404, 502, 404, 404, 502]);
    expect(sim.faults.get("later")).toMatchObject({ seen: 9, fired: 2 });

    const alone = createSimulator({ faults: [later] });
    const { nowhere } = senderOf(alone);
    for (let place = 1; place <= 9; place += 1) nowhere();
    expect(alone.faults.get("later")).toMatchObject({ seen: 9, fired: 3 });
  });

  test("limit by `times` only the requests at which they fired themselves", () => {
    const sim = createSimulator({
      faults: [
        { match: { nth: 1 }, verdict: first },
        { match: { times: 1 }, verdict: second },
      ],
    });
    const { nowhere } = senderOf(sim);
    expect([1, 2, 3].map(() => nowhere().status)).toEqual([501, 502, 404]);
  });

  test("are tried in order even if there are a thousand", () => {
    const sim = createSimulator();
    const { publisher, impression } = senderOf(sim);
    const [, other = { id: "" }] = publisher.surfaces;
    for (let index = 0; index < 999; index += 1) {
      sim.faults.add({ match: { surface: other.id }, verdict: first });
    }
    sim.faults.add({ id: "last", verdict: second });
    expect(impression().status).toBe(502);
    expect(sim.faults.get("last").fired).toBe(1);
  });
});

describe("a rule that is a function", () => {
  test("sees the request as it was sent, with its number", () => {
    const sim = createSimulator({ start: "2026-03-01T00:00:00Z" });
    const { publisher } = senderOf(sim);
    const seen: FaultRequest[] = [];
    sim.faults.add((request) => {
      seen.push(request);
      return undefined;
    });
    const body = { publisher_id: publisher.id, surface: publisher.surfaces[0]?.id, ad_id: "ß" };
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const headers = {
      Authorization: `Bearer ${publisher.apiKey}`,
      "Content-Type": "application/json",
    };
    sim.handle({ method: "POST", path: "/v1/impression?a=b", headers, body: bytes });
    sim.handle({ method: "GET", path: "/", query: { x: 1 } });
    expect(seen.map((request) => ({ ...request }))).toEqual([
      {
        number: 1,
        nowMs: Date.UTC(2026, 2, 1),
        method: "POST",
        path: "/v1/impression",
        query: "a=b",
        headers: {
          authorization: `Bearer ${publisher.apiKey}`,
          "content-type": "application/json",
        },
        body: JSON.stringify(body),
        operation: "impression",
        publisher: publisher.id,
        surface: publisher.surfaces[0]?.id,
      },
      {
        number: 1,
        nowMs: Date.UTC(2026, 2, 1),
        method: "GET",
        path: "/",
        query: "x=1",
        headers: {},
        body: "",
        operation: undefined,
        publisher: undefined,
        surface: undefined,
      },
    ]);
  });

  test("sees no surface where the parameters aren't valid", () => {
    const sim = createSimulator();
    const { publisher, click } = senderOf(sim);
    const surfaces: unknown[] = [];
    sim.faults.add(({ surface }) => void surfaces.push(surface));
    const body = { surface: publisher.surfaces[0]?.id };
    sim.handle({ method: "POST", path: "/v1/impression", body });
    click("imp_x");
    expect(surfaces).toEqual([undefined, undefined]);
  });

  test("decides by what it sees, and is numbered separately for each publisher", () => {
    const sim = createSimulator();
    sim.faults.add(({ number, path }) => (number === 2 && path === "/nowhere" ? mark : undefined));
    const [one, two] = [senderOf(sim), senderOf(sim, sim.publishers.at(1))];
    expect(marked(3, one.nowhere)).toEqual([2]);
    expect(marked(3, two.nowhere)).toEqual([2]);
  });

  test("can't change the request", () => {
    const sim = createSimulator();
    const { publisher, impression } = senderOf(sim);
    sim.faults.add((request) => {
      (request.headers as Record<string, string>).authorization = "Bearer x";
      Object.assign(request, { path: "/", body: "", operation: undefined });
      return undefined;
    });
    const sent = { authorization: `Bearer ${publisher.apiKey}` };
    const answer = sim.handle({ method: "GET", path: "/v1/publisher/surfaces", headers: sent });
    expect(answer.status).toBe(400);
    expect(sent.authorization).toContain(publisher.apiKey);
    expect(impression().status).toBe(200);
  });

  test.each<[Verdict, number]>([
    [{ kind: "truncate", share: 0.5, atByte: undefined }, 0.5],
    [{ kind: "truncate", share: undefined, atByte: 0 }, 0],
  ])("may leave a member undefined: %o", (verdict, part) => {
    const sim = createSimulator();
    const { nowhere } = senderOf(sim);
    const { length } = nowhere().body;
    sim.faults.add(() => verdict);
    const { body, delivery } = nowhere();
    expect(delivery).toMatchObject({ kind: "cut" });
    expect(body).toHaveLength(Math.floor(length * part));
  });

  test("may remove itself and add another rule, which takes effect with the next request", () => {
    const sim = createSimulator();
    const { nowhere } = senderOf(sim);
    const stop = sim.faults.add(() => {
      stop();
      sim.faults.add({ match: { nth: 1 }, verdict: { kind: "respond", status: 502 } });
      return mark;
    });
    expect([1, 2, 3].map(() => nowhere().status)).toEqual([599, 502, 404]);
  });

  test("may throw: its error reaches the caller, every rule has counted, and nothing was recorded", () => {
    const sim = createSimulator();
    const { impression } = senderOf(sim);
    const error = new Error("of the user");
    const stop = sim.faults.add(() => {
      throw error;
    });
    sim.faults.add({ id: "behind", match: { operation: "impression" }, verdict: mark });
    expect(impression).toThrow(error);
    expect(sim.faults.get("behind")).toMatchObject({ seen: 1, fired: 0 });
    expect(sim.journal.entries()).toEqual([]);
    stop();
    sim.faults.clear();
    expect(impression().status).toBe(200);
  });

  test.each<[returned: unknown, told: RegExp]>([
    [null, /faults\.rule-1 returned an invalid verdict: must be an object/],
    [
      { kind: "dorp" },
      /faults\.rule-1 returned an invalid verdict: kind must be one of .*not "dorp"/,
    ],
    [{ kind: "respond", status: 1 }, /returned an invalid verdict: status must be a whole number/],
    [Promise.resolve(mark), /faults\.rule-1 returned a promise/],
  ])("makes handle throw an error that says so if it returns %o", (returned, told) => {
    const sim = createSimulator();
    sim.faults.add(() => returned as Verdict);
    expect(senderOf(sim).impression).toThrow(told);
    expect(sim.faults.list()[0]).toMatchObject({ seen: 1, fired: 0 });
    sim.faults.clear();
    expect(JSON.parse(senderOf(sim).stats().body).impressions).toBe(
      JSON.parse(senderOf(createSimulator()).stats().body).impressions,
    );
  });
});
