/**
 * One session with everything that a client may do, right and wrong, under any assumptions: requests are encoded as
 * those demand. Judging the answers is left to others.
 */

import type { ApiRequest, ApiResponse, Publisher, Simulator } from "../../src/index.ts";

export interface SessionExchange {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  /** The error's code, as in the journal. Empty for a success. */
  readonly reason: string;
}

type Values = Readonly<Record<string, string | number>>;

interface Client {
  readonly sim: Simulator;
  readonly own: Publisher;
  readonly other: Publisher;
  send(request: ApiRequest): SessionExchange;
  get(path: string, query?: Values): ApiRequest;
  /** A POST with its parameters in the encoding that the assumptions demand. */
  post(path: string, parameters: Values): ApiRequest;
}

export const reads = [
  "/v1/publisher/stats",
  "/v1/publisher/surfaces",
  "/v1/publisher/payouts",
] as const;
export const writes = ["/v1/impression", "/v1/click"] as const;
const [stats, , payouts] = reads;
const [impression, click] = writes;

/** The session, exchange by exchange. Each part starts with a full quota. */
export function* fullSession(sim: Simulator): Generator<SessionExchange> {
  const client = clientOf(sim);
  const parts = [reading, wrongReading, wrongTargets, wrongKeys, recording, wrongRecording];
  for (const part of [...parts, lateClicks, overTheLimit]) {
    sim.clock.advance("2m");
    yield* part(client);
  }
}

function clientOf(sim: Simulator): Client {
  const publishers = sim.publishers
    .list({ limit: 25 })
    .filter(({ surfaces }) => surfaces.length > 2);
  // The one that joined first has many payouts.
  const [own, other] = publishers.toSorted((left, right) => (left.joined < right.joined ? -1 : 1));
  if (own === undefined || other === undefined) throw new Error("There are two such publishers.");
  const headers = { authorization: `Bearer ${own.apiKey}` };
  const encoding: string = sim.assumptions["request.encoding"];
  return {
    sim,
    own,
    other,
    send(request) {
      const response = sim.handle(request);
      const [entry] = response.status === 200 ? [] : sim.journal.entries({ limit: 1 });
      return { request, response, reason: entry?.reason ?? "" };
    },
    get: (path, query = {}) => ({
      ...{ method: "GET", path, headers },
      query: { publisher_id: own.id, ...query },
    }),
    post(path, parameters) {
      const post = { method: "POST", path };
      if (encoding === "query") return { ...post, headers, query: parameters };
      const pairs = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
      return encoding === "form"
        ? { ...post, ...typed(headers, form), body: new URLSearchParams(pairs).toString() }
        : { ...post, ...typed(headers, "application/json"), body: parameters };
    },
  };
}

const form = "application/x-www-form-urlencoded";

function typed(
  headers: Readonly<Record<string, string>>,
  type: string,
): Pick<ApiRequest, "headers"> {
  return { headers: { ...headers, "content-type": type } };
}

function* reading({ sim, own, send, get }: Client): Generator<SessionExchange> {
  for (const path of reads) {
    yield send(get(path));
    yield send({ ...get(path), method: "HEAD" });
    yield send(get(`${path}/`));
    yield send({ ...get(`${path}/`), method: "HEAD" });
  }
  yield send(get(stats, { from: "2025-12-01", to: "2025-12-31" }));
  yield send(
    get(stats, { from: own.joined, to: "2026-01-14", surface: own.surfaces[1]?.id ?? "" }),
  );
  for (const limit of [1, 3, 100, 101]) yield send(get(payouts, { limit }));
  // Payouts in the months that follow, day by day where most happens.
  for (const by of ["22d", "1d", "3d", "13d", "12d", "3d"]) {
    sim.clock.advance(by);
    yield send(get(payouts));
    yield send(get(stats));
  }
}

function* wrongReading({ sim, own, send, get }: Client): Generator<SessionExchange> {
  const queries: readonly Values[] = [
    { publisher_id: "" },
    { publisher_id: "nobody" },
    { colour: "red" },
    { from: "" },
    { from: "2026-02-29" },
    { from: "2025-12-31", to: "2025-12-01" },
    { from: "9999-01-01" },
    { to: "9999-12-31" },
    { limit: 0 },
    { limit: "many" },
    { surface: "nowhere" },
    { surface: "" },
  ];
  for (const path of reads) {
    for (const query of queries) yield send(get(path, query));
    const twice = `publisher_id=${own.id}&publisher_id=${own.id}`;
    const long = `publisher_id=${own.id}&colour=${"x".repeat(9000)}`;
    for (const query of ["", twice, long, "__proto__=1", "%zz=1", "publisher_id=%ff"]) {
      yield send({ ...get(path), query });
    }
    yield send({ ...get(path), body: "x".repeat(70_000) });
    sim.clock.advance("1m");
  }
}

function* wrongTargets({ send, get, post }: Client): Generator<SessionExchange> {
  for (const path of ["/", "/v1", "/v2/click", "/v1/click//", "/v1/nothing/"]) {
    for (const method of ["GET", "POST", "HEAD"]) yield send({ ...get(path), method });
  }
  for (const path of reads) {
    for (const method of ["PUT", "POST", "PATCH"]) yield send({ ...get(path), method });
    yield send({ ...get(`${path}/`), method: "DELETE" });
  }
  for (const path of writes) {
    for (const method of ["GET", "HEAD", "PUT"]) yield send({ ...post(path, {}), method });
    yield send(post(`${path}/`, {}));
  }
}

function* wrongKeys({ own, other, send, get, post }: Client): Generator<SessionExchange> {
  const sent = [undefined, "", "Bearer", "Bearer nobody", own.apiKey, `bearer ${own.apiKey}`];
  for (const authorization of sent) {
    const headers = authorization === undefined ? {} : { authorization };
    for (const path of reads) {
      yield send({ ...get(path), headers });
      yield send({ ...get(path), headers, method: "HEAD" });
    }
    for (const path of writes) yield send({ ...post(path, {}), headers });
  }
  for (const path of reads) yield send(get(path, { publisher_id: other.id }));
  const surface = other.surfaces[0]?.id ?? "";
  yield send(post(impression, { publisher_id: other.id, surface, ad_id: "ad" }));
}

/** The parameters of an impression on the publisher's surface at this index. */
function adOn({ own }: Client, place = 0): Values {
  return { publisher_id: own.id, surface: own.surfaces[place]?.id ?? "", ad_id: "ad" };
}

function* recording(client: Client): Generator<SessionExchange> {
  const { sim, own, other, send, get, post } = client;
  const first = send(post(impression, { ...adOn(client), session_id: "s" }));
  yield first;
  for (const changes of [{}, { ad_id: "another" }, { surface: own.surfaces[1]?.id ?? "" }]) {
    yield send(post(impression, { ...adOn(client), session_id: "s", ...changes }));
  }
  yield send(post(impression, adOn(client)));
  for (let sent = 0; sent < 2; sent += 1) yield send(post(click, clickOn(first)));
  const foreign = post(click, clickOn(first));
  yield send({
    ...foreign,
    headers: { ...foreign.headers, authorization: `Bearer ${other.apiKey}` },
  });
  sim.clock.advance("31m");
  yield send(post(impression, { ...adOn(client), session_id: "s" }));
  for (const [place, status] of ["paused", "pending_review", "archived", "active"].entries()) {
    sim.publishers.setSurface(own.id, own.surfaces[place % 2]?.id ?? "", { status });
    yield send(post(impression, { ...adOn(client, place % 2), ad_id: status }));
  }
  sim.publishers.setSurface(own.id, own.surfaces[0]?.id ?? "", { status: "active" });
  for (const path of reads) yield send(get(path));
}

function clickOn({ response }: SessionExchange): Values {
  return { impression_id: /"impression_id":"([^"]+)"/.exec(response.body)?.[1] ?? "none" };
}

function* wrongRecording(client: Client): Generator<SessionExchange> {
  const { send, post } = client;
  const ad = adOn(client);
  const { publisher_id, ...nobody } = ad;
  const parameters: readonly (readonly [path: string, values: Values])[] = [
    [impression, {}],
    [impression, nobody],
    [impression, { ...ad, publisher_id: "nobody" }],
    [impression, { ...ad, surface: "nowhere" }],
    [impression, { ...ad, ad_id: "" }],
    [impression, { ...ad, ad_id: 7 }],
    [impression, { ...ad, session_id: "" }],
    [impression, { ...ad, colour: "red" }],
    [impression, { ...ad, Publisher_Id: "x" }],
    [click, {}],
    [click, { impression_id: "none" }],
    [click, { impression_id: "" }],
    [click, { impression_id: publisher_id ?? "" }],
    [click, { impression_id: "none", colour: "red" }],
  ];
  for (const [path, values] of parameters) yield send(post(path, values));
  const types = ["application/json", form, "text/plain", "application/json; charset=latin1"];
  const unknown = ["{}", "{", "[]", '{"__proto__":1}', "%zz=1", "a=1&a=2"];
  for (const path of writes) {
    const name = path === click ? "impression_id" : "ad_id";
    const bodies = [...unknown, `${name}=1&${name}=2`];
    const { headers = {} } = post(path, {});
    const request = { method: "POST", path };
    for (const type of types) {
      for (const body of bodies) yield send({ ...request, ...typed(headers, type), body });
    }
    yield send({ ...request, ...typed(headers, "application/json"), body: Uint8Array.of(0xff) });
    yield send({ ...request, headers: { ...headers, "content-encoding": "gzip" }, body: "x" });
    yield send({ ...request, headers, body: "x".repeat(70_000) });
    yield send({ ...request, headers, query: "a".repeat(9000) });
    yield send({ ...request, headers, query: ad, body: "{}" });
  }
}

function* lateClicks(client: Client): Generator<SessionExchange> {
  const { sim, send, post } = client;
  const shown = Array.from({ length: 4 }, () => send(post(impression, adOn(client))));
  yield* shown;
  for (const [index, by] of ["24h", "6d", "23d", "400d"].entries()) {
    sim.clock.advance(by);
    const late = shown[index];
    if (late !== undefined) yield send(post(click, clickOn(late)));
  }
}

function* overTheLimit(client: Client): Generator<SessionExchange> {
  const { sim, send, get, post } = client;
  for (let sent = 0; sent < 60; sent += 1) yield send(get(stats));
  for (const path of reads) {
    yield send(get(path));
    yield send({ ...get(path), method: "HEAD" });
  }
  const recorded = Array.from({ length: 10_000 }, () => send(post(impression, adOn(client))));
  yield* recorded.slice(-1);
  for (let sent = 0; sent < 2; sent += 1) yield send(post(impression, adOn(client)));
  // Refused or not: clicks may have a quota of their own.
  for (const shown of recorded.slice(0, 2)) yield send(post(click, clickOn(shown)));
  sim.clock.advance("1m");
  yield send(get(stats));
  yield send(post(impression, adOn(client)));
}
