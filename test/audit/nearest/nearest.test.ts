/** What an entry says of a miss: what was sent, the closest thing that exists, and a working curl command. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type Choices,
  createSimulator,
  type JournalEntry,
  type Publisher,
} from "../../../src/index.ts";
import { type Server, startServer } from "../../../src/server.ts";
import { record } from "../../journal/asking.ts";
import { hasCurl } from "../../programs.ts";

const run = promisify(execFile);

type World = ReturnType<Server["worlds"]["get"]>;

/** What a case can use. */
interface Scene {
  readonly world: World;
  readonly own: Publisher;
  readonly other: Publisher;
}

interface Case {
  readonly choices?: Choices;
  /** Setup; its result is passed to `send`. */
  readonly before?: (scene: Scene) => string;
  readonly send: (scene: Scene, before: string) => Partial<ApiRequest>;
  readonly sent: string | RegExp;
  readonly closest: (scene: Scene, before: string) => string;
  /** The publisher whose key the command runs with. @default own */
  readonly key?: (scene: Scene) => Publisher;
}

let server: Server;
let worlds = 0;
beforeAll(async () => {
  server = await startServer({ port: 0, clock: "frozen", start: "2026-01-15" });
});
afterAll(() => server.close());

const path =
  (text: string, method = "GET"): Case["send"] =>
  ({ own }) => ({
    method,
    path: text,
    query: { publisher_id: own.id },
  });
const authorization =
  (text: (own: Publisher, other: Publisher, before: string) => string): Case["send"] =>
  ({ own, other }, before) => ({ headers: { authorization: text(own, other, before) } });
const stats = (): string => "GET /v1/publisher/stats";
const ownKey = ({ own }: Scene): string => `Authorization: Bearer <the API key of ${own.id}>`;
const theirId = ({ own }: Scene): string => `publisher_id=${own.id}, whose API key was sent`;
const surface =
  (place: number) =>
  ({ own }: Scene): string =>
    `surface=${own.surfaces[place]?.id}, "${own.surfaces[place]?.name}" of ${own.id}`;
const onSurface =
  (of: (scene: Scene) => string): Case["send"] =>
  (scene) => ({
    method: "POST",
    path: "/v1/impression",
    body: { publisher_id: scene.own.id, surface: of(scene), ad_id: 'it\'s $HOME `x` "!"' },
  });
const click =
  (of: (before: string, scene: Scene) => unknown): Case["send"] =>
  (scene, before) => ({
    method: "POST",
    path: "/v1/click",
    body: { impression_id: of(before, scene) },
  });
const recorded = ({ world }: Scene): string => record(world, 0);
const impression = ({ own }: Scene, before: string): string =>
  `impression_id=${before}, an impression of ${own.id}`;
const none = ({ own }: Scene): string => `no impression: ${own.id} has none yet. Record one first`;
const activePlace = 0;

const cases: Readonly<Record<string, Case>> = {
  "a misspelt path": {
    send: path("/v1/publisher/statss"),
    sent: "GET /v1/publisher/statss",
    closest: stats,
  },
  "a path in the plural": {
    send: path("/v1/publishers/stats"),
    sent: /publishers/,
    closest: stats,
  },
  "another version": { send: path("/v2/publisher/stats"), sent: /v2/, closest: stats },
  "no version": { send: path("/publisher/stats"), sent: "GET /publisher/stats", closest: stats },
  "the version twice": { send: path("/v1/v1/publisher/stats"), sent: /v1\/v1/, closest: stats },
  "another base path": { send: path("/api/v1/publisher/stats"), sent: /api/, closest: stats },
  "a double slash": { send: path("/v1//publisher/stats"), sent: /\/\//, closest: stats },
  "a slash at the end": { send: path("/v1/publisher/stats/"), sent: /stats\/$/, closest: stats },
  "upper case": {
    send: path("/V1/PUBLISHER/PAYOUTS"),
    sent: /PAYOUTS/,
    closest: () => "GET /v1/publisher/payouts",
  },
  "a path without its middle": { send: path("/v1/stats"), sent: /stats/, closest: stats },
  "a percent-encoded path": { send: path("/v1%2Fpublisher%2Fstats"), sent: /%2F/, closest: stats },
  "an id in the path": {
    send: path("/v1/publisher/pub_x/payouts"),
    sent: /pub_x/,
    closest: () => "GET /v1/publisher/payouts",
  },
  "nothing like a path of ours": {
    send: path("/favicon.ico"),
    sent: /favicon/,
    closest: () => "GET /v1/publisher/surfaces",
  },
  "an impression's path misspelt": {
    send: path("/v1/impressions", "POST"),
    sent: /impressions/,
    closest: () => "POST /v1/impression",
  },
  "a click's path misspelt": {
    send: path("/v1/clik", "POST"),
    sent: /clik/,
    closest: () => "POST /v1/click",
  },
  "a path misspelt without a key": {
    send: ({ other }) => ({
      path: "/v1/publisher/stat",
      query: { publisher_id: other.id },
      headers: {},
    }),
    sent: /stat/,
    closest: stats,
    key: ({ other }) => other,
  },
  "another method": {
    send: path("/v1/publisher/stats", "DELETE"),
    sent: "DELETE /v1/publisher/stats",
    closest: stats,
  },
  "a method in lower case": {
    send: path("/v1/publisher/stats", "get"),
    sent: /^get/,
    closest: stats,
  },

  "no Authorization": {
    send: () => ({ headers: {} }),
    sent: "no Authorization header",
    closest: ownKey,
  },
  "an empty Authorization": {
    send: authorization(() => " "),
    sent: "an empty Authorization header",
    closest: ownKey,
  },
  Basic: {
    send: authorization(({ apiKey }) => `Basic ${btoa(`${apiKey}:`)}`),
    sent: "Authorization with the scheme Basic",
    closest: ownKey,
  },
  Token: {
    send: authorization(({ apiKey }) => `Token ${apiKey}`),
    sent: "Authorization with the scheme Token",
    closest: ownKey,
  },
  "a bare key": {
    send: authorization(({ apiKey }) => apiKey),
    sent: "Authorization with only a key, without the word Bearer",
    closest: ownKey,
  },
  "another word": {
    send: authorization(() => "secret sesame"),
    sent: "Authorization with something else, without the word Bearer",
    closest: ownKey,
  },
  "Bearer alone": {
    send: authorization(() => "Bearer"),
    sent: "Authorization: Bearer without a key",
    closest: ownKey,
  },
  "Bearer and a key without a blank": {
    send: authorization(({ apiKey }) => `Bearer${apiKey}`),
    sent: "Authorization: Bearer and an API key without a single space between them",
    closest: ownKey,
  },
  "Bearer with a colon": {
    send: authorization(({ apiKey }) => `Bearer: ${apiKey}`),
    sent: /without a single space/,
    closest: ownKey,
  },
  "two headers": {
    send: authorization(({ apiKey }) => `Bearer ${apiKey}, Bearer ${apiKey}`),
    sent: /^two Authorization headers/,
    closest: ownKey,
  },
  "a key in quotes": {
    send: authorization(({ apiKey }) => `Bearer "${apiKey}"`),
    sent: /quotes, blanks or brackets/,
    closest: ownKey,
  },
  "a key in angle brackets": {
    send: authorization(({ apiKey }) => `Bearer <${apiKey}>`),
    sent: /quotes, blanks or brackets/,
    closest: ownKey,
  },
  "a key with a blank in it": {
    send: authorization(({ apiKey }) => `Bearer ${apiKey.slice(0, 9)} ${apiKey.slice(9)}`),
    sent: /quotes, blanks or brackets/,
    closest: ownKey,
  },
  "a key in upper case": {
    send: authorization(({ apiKey }) => `Bearer ${apiKey.toUpperCase()}`),
    sent: /has upper and lower case mixed up/,
    closest: ownKey,
  },
  "a key that is cut off": {
    send: authorization(({ apiKey }) => `Bearer ${apiKey.slice(0, -4)}`),
    sent: "Authorization: Bearer with an API key that is cut off: the first 13 of 17 characters",
    closest: ownKey,
  },
  "a key without its beginning": {
    send: authorization(({ apiKey }) => `Bearer ${apiKey.slice(4)}`),
    sent: /the last 13 of 17 characters/,
    closest: ownKey,
  },
  "a mistyped key": {
    send: authorization(({ apiKey }) => `Bearer ${apiKey.slice(0, 8)}u${apiKey.slice(9)}`),
    sent: /mistyped: 1 character differs/,
    closest: ownKey,
  },
  "a mistyped key of a publisher that nothing happened to": {
    send: authorization((_, { apiKey }) => `Bearer ${apiKey.slice(0, 8)}${apiKey.slice(9)}`),
    sent: /mistyped/,
    closest: ({ other }) => `Authorization: Bearer <the API key of ${other.id}>`,
    key: ({ other }) => other,
  },
  "a key that was rotated away": {
    before: ({ world, own }) => {
      world.publishers.rotateKey(own.id);
      return own.apiKey;
    },
    send: authorization((_, __, before) => `Bearer ${before}`),
    sent: "Authorization: Bearer with an API key that was rotated away",
    closest: ownKey,
  },
  "a key of before a reset": {
    before: ({ world, own }) => {
      const { apiKey } = world.publishers.rotateKey(own.id);
      world.reset();
      return apiKey;
    },
    send: authorization((_, __, before) => `Bearer ${before}`),
    sent: /was issued before the world was reset/,
    closest: ownKey,
  },
  "a key of another seed": {
    before: () => createSimulator({ seed: "elsewhere" }).publishers.at(0).apiKey,
    send: authorization((_, __, before) => `Bearer ${before}`),
    sent: /made up, or from another seed/,
    closest: ownKey,
  },
  "a key of a larger population": {
    before: () => createSimulator({ publishers: 100 }).publishers.at(77).apiKey,
    send: authorization((_, __, before) => `Bearer ${before}`),
    sent: /a publisher that this world doesn't have \(number 77\)/,
    closest: ownKey,
  },
  "a variable that is not set": {
    send: authorization(() => "Bearer undefined"),
    sent: /the word undefined/,
    closest: ownKey,
  },
  "a placeholder": {
    send: authorization(() => "Bearer <API_KEY>"),
    sent: /a placeholder/,
    closest: ownKey,
  },
  "a publisher_id for a key": {
    send: authorization(({ id }) => `Bearer ${id}`),
    sent: /a publisher_id in place/,
    closest: ownKey,
  },
  "a key in the query": {
    send: ({ own }) => ({ query: { publisher_id: own.id, api_key: own.apiKey }, headers: {} }),
    sent: "no Authorization header, and an API key in the query (api_key)",
    closest: ownKey,
  },
  "a key in another header": {
    send: ({ other }) => ({ headers: { "X-Api-Key": other.apiKey } }),
    sent: "no Authorization header, and an API key in the header X-Api-Key",
    closest: ({ other }) => `Authorization: Bearer <the API key of ${other.id}>`,
    key: ({ other }) => other,
  },
  "a key in the body": {
    send: ({ own }) => ({
      method: "POST",
      path: "/v1/click",
      headers: {},
      body: { key: own.apiKey },
    }),
    sent: /in the body/,
    closest: ownKey,
  },
  "an impression without a key": {
    send: ({ own }) => ({
      method: "POST",
      path: "/v1/impression",
      headers: {},
      body: { publisher_id: own.id, surface: own.surfaces[1]?.id, ad_id: "ad" },
    }),
    sent: "no Authorization header",
    closest: ownKey,
  },
  "no key, answered 403": {
    choices: { "auth.failure": "403" },
    send: () => ({ headers: {} }),
    sent: "no Authorization header",
    closest: ownKey,
  },

  "another publisher": {
    send: ({ other }) => ({ query: { publisher_id: other.id } }),
    sent: /^publisher_id=pub_\w+, which is another publisher's$/,
    closest: theirId,
  },
  "another publisher, masked": {
    choices: { "auth.key-scope": "publisher-hidden" },
    send: ({ other }) => ({ query: { publisher_id: other.id } }),
    sent: /another publisher's$/,
    closest: theirId,
  },
  "a publisher_id that is cut off": {
    send: ({ own }) => ({ query: { publisher_id: own.id.slice(0, -1) } }),
    sent: /the first 16 of 17 characters$/,
    closest: theirId,
  },
  "a mistyped publisher_id": {
    send: ({ own }) => ({ query: { publisher_id: `${own.id.slice(0, 6)}u${own.id.slice(7)}` } }),
    sent: /mistyped/,
    closest: theirId,
  },
  "a publisher_id that doesn't exist": {
    send: () => ({ query: { publisher_id: "pub_nobody" } }),
    sent: "publisher_id=pub_nobody, which names no publisher of this world",
    closest: theirId,
  },
  "a mistyped publisher_id, where a key serves all": {
    choices: { "auth.key-scope": "any" },
    send: ({ other }) => ({ query: { publisher_id: other.id.slice(0, -1) } }),
    sent: /cut off/,
    closest: ({ other }) => `publisher_id=${other.id}`,
  },

  "a surface's name": {
    send: onSurface(({ own }) => own.surfaces[1]?.name ?? ""),
    sent: /is the name of a surface: send its id$/,
    closest: surface(1),
  },
  "a surface's name in lower case": {
    send: onSurface(({ own }) => own.surfaces[1]?.name.toLowerCase() ?? ""),
    sent: /which has upper and lower case mixed up, but is almost the name of a surface: send its id$/,
    closest: surface(1),
  },
  "a surface's name mistyped": {
    send: onSurface(({ own }) => own.surfaces[1]?.name.slice(1) ?? ""),
    sent: /is cut off: .* but is almost the name of a surface: send its id$/,
    closest: surface(1),
  },
  "a surface id that is cut off": {
    send: onSurface(({ own }) => own.surfaces[1]?.id.slice(0, -2) ?? ""),
    sent: /the first 15 of 17 characters/,
    closest: surface(1),
  },
  "a mistyped surface id": {
    send: onSurface(({ own }) => `${own.surfaces[1]?.id.slice(0, -1)}u`),
    sent: /mistyped/,
    closest: surface(1),
  },
  "another publisher's surface": {
    send: onSurface(({ other }) => other.surfaces[0]?.id ?? ""),
    sent: /which is a surface of pub_/,
    closest: surface(activePlace),
  },
  "a surface that doesn't exist": {
    send: onSurface(() => "sidebar"),
    sent: /^surface=sidebar, which is none of the \d surfaces of pub_/,
    closest: surface(activePlace),
  },
  "a surface in the query of stats": {
    send: ({ own }) => ({
      query: { publisher_id: own.id, surface: "x'\"$(id)`!", from: "2026-01-01", to: "2026-01-10" },
    }),
    sent: /^surface=x'"/,
    closest: surface(activePlace),
  },

  "an impression that is cut off": {
    before: recorded,
    send: click((id) => String(id).slice(0, -1)),
    sent: /the first 16 of 17 characters/,
    closest: impression,
  },
  "a mistyped impression": {
    before: recorded,
    send: click((id) => `${String(id).slice(0, -1)}u`),
    sent: /mistyped/,
    closest: impression,
  },
  "an impression in quotes": {
    before: recorded,
    send: click((id) => JSON.stringify(id)),
    sent: /quotes, blanks or brackets/,
    closest: impression,
  },
  "a click_id for an impression": {
    before: recorded,
    send: ({ world, own }, before) => {
      const headers = { authorization: `Bearer ${own.apiKey}` };
      const answer = world.handle({
        method: "POST",
        path: "/v1/click",
        headers,
        body: { impression_id: before },
      });
      return {
        method: "POST",
        path: "/v1/click",
        body: { impression_id: JSON.parse(answer.body).click_id },
      };
    },
    sent: /which is a click_id$/,
    closest: impression,
  },
  "another publisher's impression": {
    before: recorded,
    send: click((_, { world }) => record(world, 1)),
    sent: /which is an impression of pub_/,
    closest: impression,
  },
  "an impression of before a reset": {
    before: (scene) => {
      recorded(scene);
      const id = recorded(scene);
      scene.world.reset();
      return id;
    },
    send: click((id) => id),
    sent: /was issued before the world was reset or restored: pub_\w+ has 0 impressions, and this is number 2$/,
    closest: none,
  },
  "an impression that doesn't exist": {
    send: click(() => "imp_x"),
    sent: /^impression_id=imp_x, which names no impression/,
    closest: none,
  },
  "a number for an impression": {
    before: recorded,
    send: click(() => 17),
    sent: /^impression_id=17,/,
    closest: impression,
  },
  "an impression that doesn't exist, answered 400": {
    choices: { "click.unknown": "400" },
    send: click(() => "imp_x"),
    sent: /names no impression/,
    closest: none,
  },
};

/** The ways to send parameters, and the formats of ids. */
const forms: readonly Choices[] = [
  { "request.encoding": "json", "ids.format": "url-unsafe" },
  { "request.encoding": "form", "ids.format": "digits", "response.form": "evolved" },
  { "request.encoding": "query", "ids.format": "uuid" },
  {
    "request.encoding": "json",
    "dedup.repeat": "conflict",
    "click.repeat": "conflict",
  },
];

/** A world in which a case has run. @returns the entry about the miss. */
function play({
  choices,
  before,
  send,
}: Case): Scene & { readonly name: string; readonly was: string; readonly entry: JournalEntry } {
  worlds += 1;
  const name = `case-${worlds}`;
  const world = server.worlds.get(name);
  if (choices !== undefined) world.assume(choices);
  const scene = { world, own: world.publishers.at(0), other: world.publishers.at(1) };
  const was = before?.(scene) ?? "";
  const { own } = scene;
  const headers = { authorization: `Bearer ${own.apiKey}` };
  const query = { publisher_id: own.id };
  const wrong = send(scene, was);
  world.handle({
    method: "GET",
    path: "/v1/publisher/stats",
    headers,
    ...(wrong.method === "POST" ? {} : { query }),
    ...wrong,
  });
  const entry = world.journal.entries().at(-1);
  if (entry === undefined) throw new Error("Nothing was recorded.");
  return { ...scene, name, was, entry };
}

/** Runs a command in a shell. @returns the outcome of its requests, from the journal. */
async function paste(
  world: World,
  line: string,
  env: Readonly<Record<string, string>>,
): Promise<number[]> {
  const { total } = world.journal;
  const { PATH = "" } = process.env;
  const { stdout } = await run("sh", ["-c", line], { env: { PATH, ...env } });
  expect(() => JSON.parse(stdout)).not.toThrow();
  return world.journal.entries({ after: total }).map(({ response }) => response.status);
}

describe.skipIf(!hasCurl)("a miss is explained, with a curl command that works as pasted", () => {
  test.each(Object.entries(cases))("%s", async (_, one) => {
    const { world, name, was, entry, ...scene } = play(one);
    expect(entry.response.status).toBeGreaterThanOrEqual(400);
    expect(entry.nearest?.sent).toMatch(one.sent);
    expect(entry.nearest?.closest).toBe(one.closest({ world, ...scene }, was));
    const line = entry.nearest?.paste ?? "";
    const { id } = (one.key ?? (({ own }) => own))({ world, ...scene });
    const { apiKey } = world.publishers.get(id);
    expect(line).not.toContain(apiKey);
    const env = { ADSIM_URL: `${server.url}/@${name}`, ADSIM_API_KEY: apiKey };
    const statuses = await paste(world, line, env);
    expect(new Set(statuses), line).toEqual(new Set([200]));
  });
});

describe.skipIf(!hasCurl)("the command works with other encodings and id formats", () => {
  const misses = [
    "a surface's name",
    "an impression that doesn't exist",
    "an impression that is cut off",
    "a click_id for an impression",
  ];

  test.each(forms.flatMap((choices) => misses.map((miss) => [miss, choices] as const)))(
    "%s under %o",
    async (miss, choices) => {
      const one = cases[miss];
      if (one === undefined) throw new Error(`There is no case ${miss}.`);
      const body = (request: Partial<ApiRequest>): Partial<ApiRequest> => {
        const fields = request.body as Readonly<Record<string, string>>;
        const text = new URLSearchParams(fields).toString();
        if (choices["request.encoding"] === "query") return { ...request, body: "", query: text };
        return choices["request.encoding"] === "json" ? request : { ...request, body: text };
      };
      const inForm: Case = {
        ...one,
        before: (scene) => {
          scene.world.assume({ "request.encoding": "any" });
          const was = one.before?.(scene) ?? "";
          return was;
        },
        send: (scene, before) => {
          const request = one.send(scene, before);
          scene.world.assume({ "request.encoding": choices["request.encoding"] });
          return body(request);
        },
        choices,
      };
      const { world, name, own, entry } = play(inForm);
      const line = entry.nearest?.paste ?? "";
      const env = { ADSIM_URL: `${server.url}/@${name}`, ADSIM_API_KEY: own.apiKey };
      expect(new Set(await paste(world, line, env)), line).toEqual(new Set([200]));
    },
  );
});

test.skipIf(!hasCurl)(
  "over HTTP the command has the world's base URL, and with secrets shown also the key, so that it works as it is",
  async () => {
    const { world, name } = play(cases["no Authorization"] as Case);
    const read = async (query: string): Promise<JournalEntry[]> => {
      const answer = await fetch(`${server.url}/@${name}/_sim/journal?${query}`);
      const { entries } = (await answer.json()) as { entries: JournalEntry[] };
      return entries;
    };
    const [redacted] = await read("status=401");
    const apiKey = world.publishers.at(0).apiKey;
    expect(redacted?.nearest?.paste).toContain(`"${server.url}/@${name}/v1/`);
    expect(await paste(world, redacted?.nearest?.paste ?? "", { ADSIM_API_KEY: apiKey })).toEqual([
      200,
    ]);
    const [shown] = await read("status=401&secrets=shown");
    expect(await paste(world, shown?.nearest?.paste ?? "", {})).toEqual([200]);
  },
);

test("nothing is explained for a request that succeeded, was limited, was answered by a rule, or had an invalid parameter", () => {
  const sim = createSimulator();
  const { id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const path = "/v1/publisher/stats";
  const ask = (query: Readonly<Record<string, string>>): number =>
    sim.handle({ method: "GET", path, query, headers }).status;
  ask({ publisher_id: id });
  ask({ publisher_id: id, from: "yesterday" });
  for (let count = 0; count < 60; count += 1) ask({ publisher_id: id });
  sim.faults.add({ verdict: { kind: "respond", status: 404 } });
  ask({ publisher_id: id });
  sim.faults.clear();
  sim.faults.add({ verdict: { kind: "respond", status: 404, applied: true } });
  sim.handle({ method: "GET", path: "/nope" });
  const entries = sim.journal.entries();
  expect(entries.at(-1)).toMatchObject({ producedBy: "rule", reason: "route_not_found" });
  expect(new Set(entries.map(({ response }) => response.status))).toEqual(
    new Set([200, 400, 429, 404]),
  );
  expect(entries.filter((entry) => "nearest" in entry)).toEqual([]);
});

test("the explanation follows the world's state when it is shown, and opens no account", () => {
  const sim = createSimulator();
  const { id, apiKey, surfaces } = sim.publishers.at(3);
  const before = JSON.stringify(sim.snapshot());
  sim.handle({ method: "GET", path: "/nope", headers: { authorization: `Bearer ${apiKey}` } });
  sim.handle({
    method: "GET",
    path: "/v1/publisher/stats",
    headers: { authorization: `Bearer ${apiKey}x` },
  });
  const says = (place: number): string | undefined => sim.journal.entries()[place]?.nearest?.sent;
  expect(says(1)).toContain("has more after its 17 characters");
  expect(JSON.parse(JSON.stringify(sim.snapshot())).accounts).toEqual(JSON.parse(before).accounts);
  sim.publishers.rotateKey(id);
  expect(says(1)).toContain("made up, or from another seed");
  expect(surfaces.length).toBeGreaterThan(0);
});
