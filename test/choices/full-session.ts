/**
 * One session with everything that a client may do, right and wrong, under any assumptions: requests are encoded as
 * those demand. Judging the answers is left to others.
 */

import type { ApiRequest, ApiResponse, Simulator } from "../../src/index.ts";
import { buildRequest, pairsOf } from "../../src/spec/build-request.ts";

export interface SessionExchange {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  /** The error's code, as in the journal. Empty for a success. */
  readonly reason: string;
}

type Values = Readonly<Record<string, string | number>>;

const reads = ["stats", "surfaces", "payouts"] as const;
const writes = ["impression", "click"] as const;

/** The session, exchange by exchange. Each part starts with a full quota. */
export function* fullSession(sim: Simulator): Generator<SessionExchange> {
  const client = clientOf(sim);
  const parts = [reading, wrongReading, wrongTargets, wrongKeys, recording, wrongRecording];
  for (const part of [...parts, lateClicks, overTheLimit]) {
    sim.clock.advance("2m");
    part(client);
    yield* client.exchanges.splice(0);
  }
}

type Client = ReturnType<typeof clientOf>;

function clientOf(sim: Simulator) {
  const publishers = sim.publishers
    .list({ limit: 25 })
    .filter(({ surfaces }) => surfaces.length > 2);
  // The one that joined first has many payouts.
  const [own, other] = publishers.toSorted((left, right) => (left.joined < right.joined ? -1 : 1));
  if (own === undefined || other === undefined) throw new Error("There are two such publishers.");
  const chosen = sim.assumptions["request.encoding"];
  const encoding = chosen === "any" ? "json" : chosen;
  const exchanges: SessionExchange[] = [];
  const send = (request: ApiRequest): SessionExchange => {
    const response = sim.handle(request);
    const [entry] = response.status === 200 ? [] : sim.journal.entries({ limit: 1 });
    const exchange = { request, response, reason: entry?.reason ?? "" };
    exchanges.push(exchange);
    return exchange;
  };
  return {
    ...{ sim, own, other, exchanges, send },
    get: (what: (typeof reads)[number], query: Values = {}): ApiRequest =>
      buildRequest(what, { publisher_id: own.id, ...query }, { key: own.apiKey }),
    /** With its parameters in the encoding that the assumptions demand. */
    post: (what: (typeof writes)[number], values: Values): ApiRequest =>
      buildRequest(what, values, { key: own.apiKey, encoding }),
    ad: { publisher_id: own.id, surface: own.surfaces[0]?.id ?? "", ad_id: "ad" },
  };
}

function reading({ sim, own, send, get }: Client): void {
  for (const what of reads)
    for (const path of [get(what).path, `${get(what).path}/`])
      for (const method of ["GET", "HEAD"]) send({ ...get(what), method, path });
  send(get("stats", { from: own.joined, to: "2026-01-14", surface: own.surfaces[1]?.id ?? "" }));
  for (const limit of [1, 3, 100, 101]) send(get("payouts", { limit }));
  // Payouts in the months that follow, day by day where most happens.
  for (const by of ["22d", "1d", "3d", "13d", "12d", "3d"]) {
    sim.clock.advance(by);
    send(get("payouts"));
    send(get("stats"));
  }
}

function wrongReading({ sim, own, send, get }: Client): void {
  const queries: readonly Values[] = [
    ...[{ publisher_id: "" }, { publisher_id: "nobody" }, { colour: "red" }],
    ...[{ from: "" }, { from: "2026-02-29" }, { from: "2025-12-31", to: "2025-12-01" }],
    ...[{ from: "9999-01-01" }, { to: "9999-12-31" }],
    ...[{ limit: 0 }, { limit: "many" }, { surface: "nowhere" }, { surface: "" }],
  ];
  const id = `publisher_id=${own.id}`;
  const texts = ["", `${id}&${id}`, `${id}&colour=${"x".repeat(9000)}`, "__proto__=1", "%ff"];
  for (const what of reads) {
    for (const query of queries) send(get(what, query));
    for (const query of texts) send({ ...get(what), query });
    send({ ...get(what), body: "x".repeat(70_000) });
    sim.clock.advance("1m");
  }
}

function wrongTargets({ send, get, post }: Client): void {
  for (const path of ["/", "/v1", "/v2/click", "/v1/click//", "/v1/nothing/"])
    for (const method of ["GET", "POST", "HEAD"]) send({ ...get("stats"), path, method });
  for (const what of reads)
    for (const method of ["PUT", "POST", "PATCH"]) send({ ...get(what), method });
  for (const what of writes)
    for (const method of ["GET", "HEAD", "PUT"]) send({ ...post(what, {}), method });
}

function wrongKeys({ own, other, send, get, post, ad }: Client): void {
  const sent = [undefined, "", "Bearer", "Bearer nobody", own.apiKey, `bearer ${own.apiKey}`];
  for (const authorization of sent) {
    const headers = authorization === undefined ? {} : { authorization };
    for (const what of reads)
      for (const method of ["GET", "HEAD"]) send({ ...get(what), headers, method });
    for (const what of writes) send({ ...post(what, {}), headers });
  }
  for (const what of reads) send(get(what, { publisher_id: other.id }));
  send(post("impression", { ...ad, publisher_id: other.id }));
}

function recording({ sim, own, other, send, get, post, ad }: Client): void {
  const again = { ...ad, session_id: "s" };
  const first = send(post("impression", again));
  for (const changes of [{}, { ad_id: "another" }, { surface: own.surfaces[1]?.id ?? "" }])
    send(post("impression", { ...again, ...changes }));
  send(post("impression", ad));
  const click = post("click", clickOn(first));
  const authorization = `Bearer ${other.apiKey}`;
  for (const headers of [{}, {}, { authorization }])
    send({ ...click, headers: { ...click.headers, ...headers } });
  sim.clock.advance("31m");
  send(post("impression", again));
  for (const status of ["paused", "pending_review", "archived", "active"]) {
    sim.publishers.setSurface(own.id, own.surfaces[0]?.id ?? "", { status });
    send(post("impression", { ...ad, ad_id: status }));
  }
  for (const what of reads) send(get(what));
}

function clickOn({ response }: SessionExchange): Values {
  return { impression_id: /"impression_id":"([^"]+)"/.exec(response.body)?.[1] ?? "none" };
}

function wrongRecording({ own, send, post, ad }: Client): void {
  const { publisher_id, ...nobody } = ad;
  const impressions = [
    ...[{ publisher_id: "nobody" }, { surface: "nowhere" }, { ad_id: "" }, { ad_id: 7 }],
    ...[{ session_id: "" }, { colour: "red" }, { Publisher_Id: "x" }],
  ];
  for (const values of [{}, nobody, ...impressions.map((one) => ({ ...ad, ...one }))])
    send(post("impression", values));
  for (const id of ["none", "", own.id]) send(post("click", { impression_id: id }));
  for (const values of [{}, { impression_id: "none", colour: "red" }]) send(post("click", values));
  const types = ["json", "x-www-form-urlencoded", "json; charset=latin1", "octet-stream"];
  for (const what of writes) {
    const name = what === "click" ? "impression_id" : "ad_id";
    const { method, path, headers } = post(what, {});
    const request = { method, path };
    const typed = (type: string) => ({ ...headers, "content-type": `application/${type}` });
    for (const type of types)
      for (const body of ["{}", "{", "[]", "%zz=1", `${name}=1&${name}=2`])
        send({ ...request, headers: typed(type), body });
    send({ ...request, headers: typed("json"), body: Uint8Array.of(0xff) });
    send({ ...request, headers: { ...headers, "content-encoding": "gzip" }, body: "x" });
    send({ ...request, headers, body: "x".repeat(70_000) });
    send({ ...request, headers, query: "a".repeat(9000) });
    send({ ...request, headers, query: pairsOf(Object.entries(ad)), body: "{}" });
  }
}

function lateClicks({ sim, send, post, ad }: Client): void {
  const steps = ["24h", "6d", "23d", "400d"] as const;
  const shown = steps.map((by) => ({ by, click: clickOn(send(post("impression", ad))) }));
  for (const { by, click } of shown) {
    sim.clock.advance(by);
    send(post("click", click));
  }
}

function overTheLimit({ exchanges, send, get, post, ad }: Client): void {
  for (let sent = 0; sent < 60; sent += 1) send(get("stats"));
  for (const what of reads) for (const method of ["GET", "HEAD"]) send({ ...get(what), method });
  const recorded = Array.from({ length: 10_000 }, () => send(post("impression", ad)));
  exchanges.splice(-9_999);
  for (let sent = 0; sent < 2; sent += 1) send(post("impression", ad));
  // Refused or not: clicks may have a quota of their own.
  for (const shown of recorded.slice(0, 2)) send(post("click", clickOn(shown)));
}
