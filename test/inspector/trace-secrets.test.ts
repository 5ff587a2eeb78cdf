/** What clients send is in a trace only as far as the API reads it. Keys, tokens and passwords of any service aren't. */

import { expect, test } from "vitest";
import { createEngine } from "../../src/inspector/engine-worlds.ts";
import { traceOf } from "../../src/inspector/trace-worlds.ts";
import { createSimulatorCore } from "../../src/simulator/core.ts";
import type { HostedCore } from "../../src/simulator/simulator.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { fakerHost } from "../../src/world/publishers/people.ts";

const PASSWORD = "correct-horse-42";
/** By the service that they look like. None is real. */
const secrets: Readonly<Record<string, string>> = {
  stripe: "sk_live_51HxyzAbCdEfGhIjKlMnOp",
  github: "ghp_0123456789abcdefghijABCDEFGHIJ012345",
  aws: "AKIAIOSFODNN7EXAMPLE",
  awsSecret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  jwt: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpMeJf36P",
  slack: "xoxb-123456789012-abcdefABCDEF",
  hex: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  password: PASSWORD,
  foreignKey: "key_0a1b2c3d4e5f6",
};
const looksLikeSecret = Object.entries(secrets).filter(([name]) => name !== "password");

function started(): { sim: HostedCore; event: Record<string, string>; apiKey: string } {
  const sim = createSimulatorCore({ seed: "secrets" }, fakerHost);
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  return {
    sim,
    apiKey,
    event: { publisher_id: id, surface: surfaces[0]?.id ?? "", ad_id: "ad-1" },
  };
}

/** The file's JSON, with everything that is encoded in it decoded as well. */
function textOf(sim: HostedCore): string {
  const { trace } = traceOf([{ name: "default", world: sim }], { title: "t", host: fakerHost });
  const text = JSON.stringify(trace);
  const bytes = Array.from(text.matchAll(/"base64":"([^"]*)"/g), ([, encoded = ""]) =>
    atob(encoded),
  );
  return [text, decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, "%25")), ...bytes].join(
    "\n",
  );
}

function entriesOf(sim: HostedCore): unknown {
  const { trace } = traceOf([{ name: "default", world: sim }], { title: "t", host: fakerHost });
  const engine = createEngine(JSON.parse(JSON.stringify(trace)));
  const { body } = engine.handle({ method: "GET", path: "/_sim/journal" });
  return { notes: engine.notes("default"), ...JSON.parse(body) };
}

type Place = (secret: string, event: Record<string, string>, key: string) => Partial<ApiRequest>;

const json = (event: object): string => JSON.stringify(event);
const places: Readonly<Record<string, Place>> = {
  "the key of another service": (secret, event) => ({
    headers: { authorization: `Bearer ${secret}` },
    body: json(event),
  }),
  "Authorization of another scheme": (secret, event) => ({
    headers: { authorization: `Basic ${btoa(`user:${secret}`)}`, Authorization: `Token ${secret}` },
    body: json(event),
  }),
  "Authorization without a scheme": (secret, event) => ({
    headers: { authorization: secret },
    body: json(event),
  }),
  "two keys in one header": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}, Bearer ${secret}` },
    body: json(event),
  }),
  cookies: (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}`, cookie: `a=1; sid=${secret}`, "set-cookie": secret },
    body: json(event),
  }),
  "headers of its own": (secret, event, key) => ({
    headers: {
      authorization: `Bearer ${key}`,
      "X-Api-Key": secret,
      "x-forwarded-authorization": `Bearer ${secret}`,
      "proxy-authorization": `Basic ${btoa(secret)}`,
      referer: `https://user:${secret}@example.com/?token=${secret}`,
    },
    body: json(event),
  }),
  "the query": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}` },
    query: `api_key=${secret}&token=${encodeURIComponent(secret)}&a[password]=${secret}&${encodeURIComponent(secret)}`,
    body: json(event),
  }),
  "other members of the body": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}` },
    body: json({
      ...event,
      password: secret,
      nested: { ad_id: secret, list: [secret, { deep: secret }] },
      pin: 90125,
    }),
  }),
  "a broken body": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}` },
    body: `${json({ ...event, token: secret }).slice(0, -1)}, ${secret} "${secret}`,
  }),
  "a body of bytes": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}` },
    body: Uint8Array.from([
      ...new TextEncoder().encode(json({ ...event, token: secret })),
      ...[0xff, 0xfe],
      ...new TextEncoder().encode(secret),
    ]),
  }),
  "a form": (secret, event, key) => ({
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: `${new URLSearchParams({ ...event, client_secret: secret, grant: secret })}&${secret}`,
  }),
  "a text": (secret, _event, key) => ({
    headers: { authorization: `Bearer ${key}`, "content-type": "text/plain" },
    body: `login ${secret}\nagain: ${secret}`,
  }),
};

/** A password in these places can't be told from an id or a word. */
const placesInTheApi: Readonly<Record<string, Place>> = {
  "a member that the API reads": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}` },
    body: json({ ...event, ad_id: secret, session_id: `s-${secret}` }),
  }),
  "a parameter that the API reads": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}` },
    query: new URLSearchParams({ ...event, session_id: secret }).toString(),
  }),
  "an escaped member": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}` },
    body: json(event).replace(
      '"ad-1"',
      `"\\u00${secret.charCodeAt(0).toString(16)}${secret.slice(1)}"`,
    ),
  }),
  names: (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}`, [`x-${secret}`]: "1" },
    query: `${encodeURIComponent(secret)}=1`,
    body: json({ ...event, [secret]: 1 }),
  }),
  "the path": (secret, event) => ({
    path: `/v1/impression/${encodeURIComponent(secret)}`,
    body: json(event),
  }),
  "plain headers": (secret, event, key) => ({
    headers: { authorization: `Bearer ${key}`, "user-agent": `agent ${secret}` },
    body: json(event),
  }),
};

const tried = [
  ...Object.entries(places).flatMap(([place, at]) =>
    Object.entries(secrets).map(([name, secret]) => [name, place, secret, at] as const),
  ),
  ...Object.entries(placesInTheApi).flatMap(([place, at]) =>
    looksLikeSecret.map(([name, secret]) => [name, place, secret, at] as const),
  ),
];

test.each(tried)("no trace has %s in %s", (_name, _place, secret, at) => {
  const { sim, event, apiKey } = started();
  sim.handle({ method: "POST", path: "/v1/impression", ...at(secret, event, apiKey) });
  const text = textOf(sim);
  for (const form of [secret, btoa(secret), btoa(`user:${secret}`), encodeURIComponent(secret)])
    expect(text).not.toContain(form);
  // The world's own key isn't there either: it follows from the seed.
  expect(text).not.toContain(apiKey);
  expect(sim.journal.total).toBe(1);
  const { entries, notes } = entriesOf(sim) as {
    entries: { response: unknown }[];
    notes: string[];
  };
  expect(notes).toEqual(["In 1 requests, text that may be secret was replaced before saving."]);
  // What replaces a secret gets the same answer.
  expect(entries[0]?.response).toEqual(
    JSON.parse(JSON.stringify(sim.journal.entries()[0]?.response)),
  );
});

test("keys of the world are put back, also old ones and in other places", () => {
  const { sim, event, apiKey } = started();
  const send = (request: Partial<ApiRequest>): unknown =>
    sim.handle({ method: "POST", path: "/v1/impression", body: json(event), ...request });
  send({ headers: { authorization: `Bearer ${apiKey}` } });
  const { apiKey: next } = sim.publishers.rotateKey(event.publisher_id ?? "");
  send({ headers: { authorization: `Bearer ${apiKey}` } });
  send({ headers: { authorization: `bearer  ${next}` } });
  send({ headers: { "x-api-key": next } });
  send({ query: `api_key=${next}` });
  send({ body: json({ ...event, key: next }) });
  const text = textOf(sim);
  for (const key of [apiKey, next]) expect(text).not.toContain(key);
  const { entries } = entriesOf(sim) as { entries: unknown[] };
  expect(entries).toHaveLength(6);
  const plain = JSON.parse(JSON.stringify(sim.journal.entries()));
  const answers = (list: readonly unknown[]): unknown =>
    list.map((one) => ({ ...(one as object), request: undefined }));
  expect(answers(entries)).toEqual(answers(plain));
});

test("keys of the world are put back in whatever spelling they were sent", () => {
  const { sim, event, apiKey } = started();
  const spelt = apiKey.replace("_", "%5F");
  const escaped = apiKey.replace("_", "\\u005f");
  const send = (request: Partial<ApiRequest>): unknown =>
    sim.handle({ method: "POST", path: "/v1/impression", ...request });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  send({ query: `surface=${spelt}`, body: json(event) });
  send({ path: `/v1/${spelt}` });
  send({ headers: form, body: `ad_id=${spelt}` });
  send({ path: "/v1/click", body: `{"impression_id":"${escaped}"}` });
  const text = textOf(sim);
  for (const spelling of [apiKey, spelt, escaped, JSON.stringify(escaped)])
    expect(text).not.toContain(spelling);
  expect(text).not.toContain(apiKey.slice(4));
  const { entries } = entriesOf(sim) as { entries: { response: { status: number } }[] };
  expect(entries.map(({ response }) => response.status)).toEqual(
    sim.journal.entries().map(({ response }) => response.status),
  );
});

test("equal secrets have equal stand-ins, so duplicates stay duplicates", () => {
  const { sim, event, apiKey } = started();
  const headers = { authorization: `Bearer ${apiKey}` };
  for (const session of [secrets.github, secrets.stripe, secrets.github]) {
    const body = json({ ...event, session_id: session });
    sim.handle({ method: "POST", path: "/v1/impression", headers, body });
  }
  expect(sim.journal.entries().map(({ effect }) => effect)).toEqual([
    "applied",
    "applied",
    "suppressed",
  ]);
  const { entries } = entriesOf(sim) as { entries: { effect: string }[] };
  expect(entries.map(({ effect }) => effect)).toEqual(["applied", "applied", "suppressed"]);
});

test("what the API reads is kept as it was sent, and headers that say nothing about the sender", () => {
  const { sim, event, apiKey } = started();
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    authorization: `Bearer ${apiKey}`,
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0.0.0",
    origin: "http://localhost:5173",
    host: "127.0.0.1:4010",
  };
  const body = `  ${json({ ...event, ad_id: "Ünïcode 🌱 \u2028", session_id: "5f0c7a4e-1b1d-4c8e-9a53-0b7d5f1c2e3a" })}\n`;
  sim.handle({ method: "POST", path: "/v1/impression", headers, body });
  const stats = `publisher_id=${event.publisher_id}&from=2026-01-01`;
  sim.handle({ method: "GET", path: "/v1/publisher/stats", query: stats, headers });
  const { entries, notes } = entriesOf(sim) as { entries: { request: unknown }[]; notes: string[] };
  expect(notes).toEqual([]);
  const sent = JSON.parse(JSON.stringify(sim.journal.entries()));
  expect(entries.map(({ request }) => request)).toEqual(
    sent.map((one: { request: unknown }) => one.request),
  );
});

/** What the file says about the world, its answers, and the recorded ones. */
function replayed(sim: HostedCore): { notes: string[]; statuses: number[]; effects: unknown[] } {
  const { notes, entries } = entriesOf(sim) as {
    notes: string[];
    entries: { response: { status: number }; effect: unknown }[];
  };
  return {
    notes,
    statuses: entries.map(({ response }) => response.status),
    effects: entries.map(({ effect }) => effect),
  };
}

const HIDDEN =
  "In fault rules, their answers or names, text that may be secret was replaced before saving.";

test.each<[name: string, verdict: (apiKey: string) => object]>([
  ["the body as text", (key) => ({ status: 200, body: `x ${key}` })],
  ["the body as JSON", (key) => ({ status: 200, body: { deep: [{ [key]: 1, apiKey: key }] } })],
  ["a header", (key) => ({ status: 401, headers: { "x-key": key, [key]: "1", [`${key}a`]: "2" } })],
  ["JSON in text", (key) => ({ status: 200, body: JSON.stringify({ token: PASSWORD, key }) })],
  ["a password's member", () => ({ status: 200, body: { user: "bob", password: PASSWORD } })],
  ["a cookie", () => ({ status: 200, headers: { "set-cookie": `sid=${PASSWORD}` }, body: {} })],
  ["a foreign key", () => ({ status: 200, body: { note: secrets.github } })],
])("no trace has the secret of a rule in %s", (_name, verdictOf) => {
  const { event, apiKey } = started();
  const verdict = { kind: "respond", ...verdictOf(apiKey) };
  const rule = { match: { nth: 1 }, verdict } as never;
  const headers = { authorization: `Bearer ${apiKey}` };
  const ask = (sim: HostedCore): unknown =>
    sim.handle({ method: "POST", path: "/v1/impression", headers, body: json(event) });
  const byHand = started().sim;
  byHand.faults.add(rule);
  const byOptions = createSimulatorCore({ seed: "secrets", faults: [rule] }, fakerHost);
  const restored = started().sim;
  restored.faults.add(rule);
  restored.restore(restored.snapshot());
  const later = started().sim;
  later.restore(restored.snapshot());
  for (const sim of [byHand, byOptions, restored, later]) {
    ask(sim);
    ask(sim);
    const text = textOf(sim);
    for (const secret of [apiKey, apiKey.slice(4), PASSWORD, secrets.github])
      expect(text).not.toContain(secret);
    const { notes, statuses, effects } = replayed(sim);
    expect(notes).toContain(HIDDEN);
    expect(statuses).toEqual(sim.journal.entries().map(({ response }) => response.status));
    expect(effects).toEqual(sim.journal.entries().map(({ effect }) => effect));
  }
});

test("no trace has what a function repeats from the request", () => {
  const { sim, event, apiKey } = started();
  sim.faults.add(({ headers, body }) => ({
    kind: "respond",
    status: 401,
    headers: { "www-authenticate": `no ${headers.authorization}` },
    body: { why: `no: ${headers.authorization}`, was: body },
  }));
  for (const token of [apiKey, "sk-live-REALSECRET1234567890", "hunter22"]) {
    const headers = { authorization: `Bearer ${token}` };
    const body = json({ ...event, pin: "swordfish" });
    sim.handle({ method: "POST", path: "/v1/impression", headers, body });
  }
  const text = textOf(sim);
  for (const secret of [apiKey, "REALSECRET", "hunter22", "swordfish"])
    expect(text).not.toContain(secret);
  const { notes, statuses } = replayed(sim);
  expect(statuses).toEqual([401, 401, 401]);
  expect(notes).toContain(HIDDEN);
  expect(notes.join()).toContain(
    "these requests got other answers than the recorded ones: 1, 2, 3",
  );
});

test("what rules answer stays if nothing in it may be secret", () => {
  const { sim, event, apiKey } = started();
  const headers = { authorization: `Bearer ${apiKey}` };
  const body = { error: "overloaded", publisher: event.publisher_id, retry: [1, null] };
  const extra = { "retry-after": "3", "x-ratelimit-limit": "10" };
  sim.faults.add({
    match: { nth: 1 },
    verdict: { kind: "respond", status: 503, body, headers: extra },
  });
  sim.faults.add(({ number }) =>
    number === 2 ? { kind: "respond", status: 500, body: '{ "error": "down" }' } : undefined,
  );
  for (let sent = 0; sent < 3; sent += 1)
    sim.handle({ method: "POST", path: "/v1/impression", headers, body: json(event) });
  const { entries, notes } = entriesOf(sim) as {
    entries: { response: unknown }[];
    notes: string[];
  };
  expect(notes).toEqual([]);
  expect(entries.map(({ response }) => response)).toEqual(
    JSON.parse(JSON.stringify(sim.journal.entries())).map(
      (one: (typeof entries)[0]) => one.response,
    ),
  );
});

test("no trace has a key in the names of a sign-up", () => {
  const { sim, apiKey } = started();
  sim.publishers.signUp({ name: `n ${apiKey}`, surfaces: [`s ${apiKey}`, { name: apiKey }] });
  const { id, apiKey: own } = sim.publishers.at(sim.publishers.total - 1);
  const headers = { authorization: `Bearer ${own}` };
  const ask = (): unknown =>
    sim.handle({
      method: "GET",
      path: "/v1/publisher/stats",
      query: `publisher_id=${id}`,
      headers,
    });
  ask();
  sim.restore(sim.snapshot());
  ask();
  expect(textOf(sim)).not.toContain(apiKey.slice(4));
  const { notes, statuses } = replayed(sim);
  expect(notes).toEqual([HIDDEN]);
  expect(statuses).toEqual([200, 200]);
});

test.each([
  '{"ad_id":"x", password: "hunter22"}',
  `{"ad_id":"x", 'password': 'hunter22'}`,
  '{"ad_id":"x",\n  password: hunter22\n}',
  '{"ad_id":"x" "password" "hunter22"}',
  '{"ad_id":"x"; password="hunter22"}',
  '{"ad_id":"a",hunter22}',
  '{"ad_id": hunter22 }',
  '{"ad_id": , "hunter22"}',
  '{"ad_id":"x", "password" = "hunter22"}',
  '{"password" "hunter22": "x"}',
  '{"session_id":"x", // password hunter22\n}',
  '{"ad_id":"1"}\n{"password":"hunter22"}',
  "hunter22=1",
  "huntertwentytwo",
])("no trace has what isn't the API's in the broken body %s", (body) => {
  const { sim, apiKey } = started();
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  sim.handle({ method: "POST", path: "/v1/impression", headers, body });
  expect(textOf(sim)).not.toMatch(/hunter/);
  expect(replayed(sim).notes).toEqual([
    "In 1 requests, text that may be secret was replaced before saving.",
  ]);
});

test("the API's own parts of a broken body stay", () => {
  const { sim, apiKey } = started();
  const body = '{"publisher_id":"p", "ad_id" : "a", "surface": 12, }';
  const headers = { authorization: `Bearer ${apiKey}` };
  sim.handle({ method: "POST", path: "/v1/impression", headers, body });
  expect(textOf(sim)).toContain(JSON.stringify(body).slice(1, -1));
  expect(replayed(sim).notes).toEqual([]);
});

test.each<[place: string, request: (apiKey: string) => Partial<ApiRequest>]>([
  ["a key as the method", (key) => ({ method: key })],
  ["a word as the method", () => ({ method: "hunter22" })],
  ["a key as a header's name", (key) => ({ headers: { [key]: "1" } })],
  ["Accept-Token", () => ({ headers: { "Accept-Token": "hunter22" } })],
  ["Sec-Fetch-Password", () => ({ headers: { "Sec-Fetch-Password": "hunter22" } })],
  ["Sec-CH-Secret", () => ({ headers: { "Sec-CH-Secret": "hunter22" } })],
  ["Host", () => ({ headers: { host: "hunter22@ads.example" } })],
  ["a query of one word", () => ({ query: "huntertwentytwo" })],
])("no trace has a secret in %s", (_place, requestOf) => {
  const { sim, event, apiKey } = started();
  const request = { method: "POST", path: "/v1/impression", body: json(event) };
  sim.handle({ ...request, ...requestOf(apiKey) });
  const text = textOf(sim);
  expect(text).not.toContain(apiKey.slice(4));
  expect(text).not.toMatch(/hunter/);
  const { notes, statuses } = replayed(sim);
  expect(notes).toEqual(["In 1 requests, text that may be secret was replaced before saving."]);
  expect(statuses).toEqual(sim.journal.entries().map(({ response }) => response.status));
});
