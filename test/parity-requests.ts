/** The recorded list of requests that every transport must answer alike. The ids in it come from a run in process. */

import { createSimulator, type Publisher, type SimulatorOptions } from "../src/index.ts";

/** The world that every transport plays the list in. */
export const parityOptions: SimulatorOptions = {
  seed: "parity",
  profile: "adversarial",
  publishers: 12,
  clock: "frozen",
  cors: "https://app.example",
};

/** The same with answers of another form: headers and bodies that a transport could get wrong in its own way. */
export const otherForm: SimulatorOptions = {
  ...parityOptions,
  assumptions: {
    "errors.body": "empty",
    "ids.format": "url-unsafe",
    "response.form": "evolved",
  },
};

/** A request as `fetch` can send it. `target`: path and query. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

export function recordRequests(options: SimulatorOptions): RecordedRequest[] {
  const sim = createSimulator(options);
  const requests: RecordedRequest[] = [];
  const send = (request: RecordedRequest): string => {
    requests.push(request);
    const { target, ...rest } = request;
    return sim.handle({ ...rest, path: target }).body;
  };
  const owner = withSurfaces(sim.publishers.list({ limit: 12 }), 2);
  const others = sim.publishers.list({ limit: 12 }).filter(({ id }) => id !== owner.id);
  sendReads(send, owner, others);
  sendImpressions(send, owner, others);
  sendClicks(send, owner, others);
  sendBrokenBodies(send, owner);
  sendUnroutable(send, owner);
  exhaust(send, others);
  return requests;
}

type Send = (request: RecordedRequest) => string;

function sendReads(send: Send, owner: Publisher, others: readonly Publisher[]): void {
  const own = `publisher_id=${owner.id}`;
  const [surface] = owner.surfaces;
  const get = (target: string, headers = key(owner)): string =>
    send({ method: "GET", target, headers });

  for (const path of ["stats", "surfaces", "payouts"]) {
    const target = `/v1/publisher/${path}`;
    get(`${target}?${own}`);
    send({ method: "HEAD", target: `${target}?${own}`, headers: key(owner) });
    get(target);
    get(`${target}?publisher_id=nobody`);
    get(`${target}?publisher_id=${others[0]?.id}`);
    get(`${target}?${own}`, {});
    get(`${target}?${own}`, { authorization: "Bearer wrong" });
    get(`${target}?${own}`, { authorization: "Basic dTpw" });
    send({ method: "HEAD", target, headers: {} });
  }
  for (const query of [
    `&from=2025-12-01&to=2025-12-31`,
    `&surface=${surface?.id}`,
    "&surface=nowhere",
    "&from=2026-02-29",
    "&from=2026-01-02&to=2026-01-01",
    "&to=",
    `&${own}`,
    "&from=%zz",
    "&__proto__=1",
    "&colour=%E2%98%83",
    `&colour=${"x".repeat(9000)}`,
  ]) {
    get(`/v1/publisher/stats?${own}${query}`);
  }
  for (const limit of ["1", "100", "0", "101", "-0", "1.5", "%31"]) {
    get(`/v1/publisher/payouts?${own}&limit=${limit}`);
  }
  for (const origin of ["http://localhost:5173", "https://app.example", "https://evil.example"]) {
    const target = "/v1/publisher/payouts";
    const asking = { origin, "access-control-request-method": "GET" };
    get(`${target}?${own}`, { ...key(owner), origin });
    get(target, { origin });
    send({ method: "OPTIONS", target, headers: asking });
    send({
      method: "OPTIONS",
      target: "/v1/nothing",
      headers: { ...asking, "access-control-request-headers": "authorization,x-trace" },
    });
    send({ method: "OPTIONS", target, headers: { origin } });
  }
  // Every name of the adversarial population passes through every transport.
  for (const other of others) {
    for (const path of ["surfaces", "payouts", "stats"]) {
      get(`/v1/publisher/${path}?publisher_id=${other.id}`, key(other));
    }
  }
}

function sendImpressions(send: Send, owner: Publisher, others: readonly Publisher[]): void {
  const [surface] = owner.surfaces;
  const ad = { publisher_id: owner.id, surface: surface?.id ?? "", ad_id: "ad-1" };
  const target = "/v1/impression";
  const post = (body: object, headers: Record<string, string> = key(owner)): string =>
    send({ method: "POST", target, headers: { ...headers, ...JSON_TYPE }, body: text(body) });

  post(ad);
  post({ ...ad, session_id: "s-1" });
  post({ ...ad, session_id: "s-1" });
  post({ ...ad, session_id: "नमस्ते 🧑‍🚀" });
  post({ ...ad, session_id: "नमस्ते 🧑‍🚀" });
  const pairs = new URLSearchParams({ ...ad, session_id: "form & 🚀" }).toString();
  send({ method: "POST", target, headers: { ...key(owner), ...FORM_TYPE }, body: pairs });
  send({ method: "POST", target: `${target}?${pairs}`, headers: key(owner) });
  send({
    method: "POST",
    target: `${target}?session_id=q`,
    headers: { ...key(owner), ...JSON_TYPE },
    body: text(ad),
  });
  // A body without a content type counts as JSON. Only bytes go out without one.
  send({
    method: "POST",
    target,
    headers: key(owner),
    body: bytes(text({ ...ad, session_id: "b" })),
  });
  post({ ...ad, ad_id: 17 });
  post({ ...ad, ad_id: true });
  post({ ...ad, ad_id: "" });
  post({ ...ad, ad_id: "\0" });
  post({ ...ad, surface: "nowhere" });
  post({ ...ad, publisher_id: "nobody" });
  post({ ...ad, publisher_id: others[0]?.id });
  post({ publisherId: owner.id });
  post(ad, {});
}

function sendClicks(send: Send, owner: Publisher, others: readonly Publisher[]): void {
  const [surface] = owner.surfaces;
  const ad = { publisher_id: owner.id, surface: surface?.id ?? "", ad_id: "clicked" };
  const headers = { ...key(owner), ...JSON_TYPE };
  const recorded: unknown = JSON.parse(
    send({ method: "POST", target: "/v1/impression", headers, body: text(ad) }),
  );
  const { impression_id } = recorded as { impression_id: string };
  const target = "/v1/click";
  const click = (id: unknown, sent: Record<string, string> = headers): string =>
    send({ method: "POST", target, headers: sent, body: text({ impression_id: id }) });

  click(impression_id);
  click(impression_id);
  click("never");
  click(null);
  click(impression_id, { ...JSON_TYPE, ...key(others[0] ?? owner) });
  click(impression_id, JSON_TYPE);
  send({ method: "POST", target: `${target}?impression_id=${impression_id}`, headers: key(owner) });
}

function sendBrokenBodies(send: Send, owner: Publisher): void {
  const bodies: readonly (string | Uint8Array<ArrayBuffer>)[] = [
    "",
    "{",
    "[]",
    "null",
    '{"impression_id":"a","impression_id":"b"}',
    '{"__proto__":{"impression_id":"a"}}',
    new Uint8Array([0x7b, 0xff, 0x7d]),
    "x".repeat(65_537),
  ];
  for (const target of ["/v1/impression", "/v1/click"]) {
    for (const body of bodies) {
      send({ method: "POST", target, headers: { ...key(owner), ...JSON_TYPE }, body });
    }
    for (const type of ["text/plain", "application/json; charset=utf-16", "a/b;c"]) {
      const headers = { ...key(owner), "content-type": type };
      send({ method: "POST", target, headers, body: "{}" });
    }
    send({ method: "POST", target, headers: { ...key(owner), ...FORM_TYPE }, body: "a=%ff&b" });
  }
}

function sendUnroutable(send: Send, owner: Publisher): void {
  for (const target of [
    "/",
    "/v1",
    "/v1/",
    "/v1/impression/",
    "/v1/publisher/stats/?a=b%20c&d=%22",
    "//v1/click",
    "/v1/%63lick",
  ]) {
    for (const method of ["GET", "POST", "HEAD"]) send({ method, target, headers: key(owner) });
  }
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    send({ method, target: "/v1/impression", headers: key(owner) });
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    send({ method, target: "/v1/publisher/stats", headers: {} });
  }
}

/** Uses up the reporting limit of one key, then sends a request with another. */
function exhaust(send: Send, others: readonly Publisher[]): void {
  const [spent, fresh] = others;
  if (spent === undefined || fresh === undefined) throw new Error("Two other publishers needed.");
  const target = `/v1/publisher/surfaces?publisher_id=${spent.id}`;
  for (let sent = 0; sent < 61; sent += 1) send({ method: "GET", target, headers: key(spent) });
  send({ method: "HEAD", target, headers: key(spent) });
  send({
    method: "GET",
    target: `/v1/publisher/surfaces?publisher_id=${fresh.id}`,
    headers: key(fresh),
  });
}

function key(publisher: Publisher): Record<string, string> {
  return { authorization: `Bearer ${publisher.apiKey}` };
}

function text(body: object): string {
  return JSON.stringify(body);
}

function bytes(body: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(body));
}

function withSurfaces(publishers: readonly Publisher[], least: number): Publisher {
  const found = publishers.find(({ surfaces }) => surfaces.length >= least);
  if (found === undefined) throw new Error(`No publisher has ${least} surfaces.`);
  return found;
}
