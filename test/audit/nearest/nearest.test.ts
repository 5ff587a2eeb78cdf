/** What an entry says of a miss: what was sent, the closest thing that exists, and a working curl command. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Choices, createSimulator, type JournalEntry } from "../../../src/index.ts";
import { type Server, startServer } from "../../../src/server.ts";
import { record } from "../../journal/asking.ts";
import { hasCurl } from "../../programs.ts";
import { senderOf } from "../../sender.ts";

const run = promisify(execFile);

type World = ReturnType<Server["worlds"]["get"]>;

/** Names in braces stand for values of the scene. `request`: method and path, and the parameters as a query. */
interface Case {
  readonly request: string;
  readonly authorization: string;
  readonly sent: string;
  readonly closest: string;
}

const aboutRoutes = [
  ["GET /v1/publisher/statss", "GET /v1/publisher/stats"],
  ["GET /api/V2/STATS/", "GET /v1/publisher/stats"],
  ["DELETE /v1/publisher/stats", "GET /v1/publisher/stats"],
  ["POST /v1/impressions?publisher_id={own}&surface={surface}", "POST /v1/impression"],
  ["POST /v1/clik?impression_id={impression}", "POST /v1/click"],
].map(([request = "", closest = ""]): Case => {
  const [sent = ""] = request.split("?");
  return { request, authorization: "Bearer {key}", sent, closest };
});

const aboutKeys = [
  ["", "no Authorization header", "{own}"],
  ["Basic {key}", "Authorization without Bearer and a key", "{own}"],
  ["Bearer ", "Authorization without Bearer and a key", "{own}"],
  ["Bearer {rotated}", "Authorization: Bearer with a rotated API key of {own}", "{own}"],
  ["Bearer sesame", "Authorization: Bearer with an unknown API key", "{own}"],
  ["Bearer {other}", "Authorization: Bearer with the id of {other}", "{own}"],
].map(([authorization = "", sent = "", owner]): Case => {
  const closest = `Authorization: Bearer <the API key of ${owner}>`;
  const request = "POST /v1/impression?publisher_id={own}&surface={surface}&ad_id=x";
  return { request, authorization, sent, closest };
});

const payouts = "GET /v1/publisher/payouts?";
const stats = "GET /v1/publisher/stats?publisher_id={own}&";
const impression = "POST /v1/impression?publisher_id={own}&ad_id=x&";
const click = "POST /v1/click?";
const ownId = "publisher_id={own}, whose API key was sent";
const ownSurface = 'surface={surface}, "{name}" of {own}';
const ownImpression = "impression_id={impression}, an impression of {own}";
const aboutIds = [
  [payouts, "publisher_id={other}", "the id of {other}", ownId],
  [payouts, `publisher_id=x'"$(id)`, "unknown here", ownId],
  [impression, "surface={mistyped name}", "unknown here", ownSurface],
  [impression, "surface={their surface}", "the id of a surface of {other}", ownSurface],
  [stats, "surface={mistyped surface}", "unknown here", ownSurface],
  [click, "impression_id={mistyped impression}", "unknown here", ownImpression],
  [click, "impression_id={click}", "the id of a click of {own}", ownImpression],
].map(([beginning = "", parameter = "", kind = "", closest = ""]): Case => {
  const sent = `${parameter}, which is ${kind}`;
  return { request: beginning + parameter, authorization: "Bearer {key}", sent, closest };
});

const cases: readonly Case[] = [
  ...aboutRoutes,
  ...aboutKeys,
  ...aboutIds,
  {
    request: `${stats}publisher_id={key}`.replace("publisher_id={own}&", ""),
    authorization: "Bearer {key}",
    sent: "publisher_id=(redacted), which is the API key of {own}",
    closest: ownId,
  },
  {
    request: `${click}impression_id={impression}`,
    authorization: "Bearer {their key}",
    sent: "impression_id={impression}, which is the id of an impression of {own}",
    closest: "no impression: {other} has none to click. Record one first",
  },
];

const worlds: readonly Choices[] = [
  { "auth.key-scope": "publisher-hidden", "click.unknown": "400", "click.window": "24h" },
  { "request.encoding": "json", "ids.format": "digits", "response.form": "evolved" },
  { "request.encoding": "form", "ids.format": "url-unsafe", "surface.unknown": "400" },
  { "request.encoding": "query", "ids.format": "uuid", "click.repeat": "conflict" },
];

let server: Server;
beforeAll(async () => {
  server = await startServer({ port: 0, clock: "frozen", start: "2026-01-15" });
});
afterAll(() => server.close());

/** Prepares a world in which `own` has a click, an impression and its second key. @returns a function that fills in names. */
function prepare(world: World, choices: Choices): (text: string, encode?: Encode) => string {
  world.assume({ ...choices, "request.encoding": "any" });
  const { apiKey: rotated, id } = world.publishers.at(0);
  world.publishers.rotateKey(id);
  const [own, other] = [world.publishers.at(0), world.publishers.at(1)];
  const clicked = senderOf(world, own).post("click", { impression_id: record(world, 0) });
  const latest = record(world, 0);
  world.assume({ "request.encoding": choices["request.encoding"] ?? "any" });
  const [surface] = own.surfaces;
  const values = new Map([
    ["own", own.id],
    ["key", own.apiKey],
    ["rotated", rotated],
    ["other", other.id],
    ["their key", other.apiKey],
    ["their surface", other.surfaces[0]?.id],
    ["surface", surface?.id],
    ["name", surface?.name],
    ["impression", latest],
    ["click", JSON.parse(clicked.body).click_id],
  ]);
  return (text, encode = (value) => value) =>
    text.replaceAll(/\{(mistyped )?([^}]+)\}/g, (_, isMistyped, name) => {
      const value = values.get(name) ?? "";
      return encode(isMistyped === undefined ? value : value.slice(1).toLowerCase());
    });
}

type Encode = (value: string) => string;

/** Sends the request of a case as the world takes it. @returns the entry. */
function entryOf(world: World, request: string, authorization: string): JournalEntry {
  const [method = "", path = "", query = ""] = request.split(/[ ?]/);
  const encoding = world.assumptions["request.encoding"];
  const isJson = encoding === "any" || encoding === "json";
  const body = isJson ? Object.fromEntries(new URLSearchParams(query)) : query;
  const isInQuery = method !== "POST" || encoding === "query";
  const headers = authorization === "" ? {} : { authorization };
  world.handle({ method, path, headers, ...(isInQuery ? { query } : { body }) });
  const entry = world.journal.entries().at(-1);
  if (entry === undefined) throw new Error("Nothing was recorded.");
  return entry;
}

/** Runs commands in a shell. @returns what they print. */
async function paste(lines: readonly string[]): Promise<string> {
  const { stdout } = await run("sh", ["-c", lines.join("\n")], {
    env: { PATH: process.env.PATH },
  });
  return stdout;
}

describe("a miss is explained, with a command that succeeds as pasted", () => {
  test.each(worlds)("in a world with %j", async (choices) => {
    const lines: string[] = [];
    const pasted: [about: string, world: World, before: number][] = [];
    for (const [index, { request, authorization, sent, closest }] of cases.entries()) {
      const name = `${worlds.indexOf(choices)}-${index}`;
      const world = server.worlds.get(name);
      const fill = prepare(world, choices);
      const about = `${request} ${authorization}`;
      const entry = entryOf(world, fill(request, encodeURIComponent), fill(authorization));
      const { nearest } = entry;
      expect(entry.response.status, about).toBeGreaterThanOrEqual(400);
      expect([nearest?.sent, nearest?.closest], about).toEqual([fill(sent), fill(closest)]);
      expect(JSON.stringify(nearest), about).not.toMatch(/key_[a-z0-9]{6}/);
      // Each command is tried in one of the worlds; two, of which one takes the id that the other prints, in all of them.
      const isOne = nearest?.paste.includes("| sed") !== true;
      if (isOne && index % worlds.length !== worlds.indexOf(choices)) continue;
      const key = fill(closest.includes("{other}") ? "{their key}" : "{key}");
      lines.push(`export ADSIM_URL='${server.url}/@${name}' ADSIM_API_KEY='${key}'`);
      lines.push(nearest?.paste ?? "");
      pasted.push([about, world, world.journal.total]);
    }
    if (!hasCurl) return;
    await paste(lines);
    for (const [about, world, before] of pasted) {
      const answers = world.journal.entries({ after: before });
      const statuses = new Set(answers.map(({ response }) => response.status));
      expect([...statuses], about).toEqual([200]);
    }
  });
});

test("nothing is explained for a request that succeeded, was limited, was answered by a rule, or had an invalid parameter", () => {
  const sim = createSimulator();
  const { get: ask } = senderOf(sim, sim.publishers.at(0));
  ask("stats", { from: "yesterday" });
  for (let count = 0; count < 60; count += 1) ask("stats");
  sim.faults.add({ verdict: { kind: "respond", status: 404, applied: true } });
  sim.handle({ method: "GET", path: "/nope" });
  const entries = sim.journal.entries();
  const statuses = new Set(entries.map(({ response }) => response.status));
  expect(statuses).toEqual(new Set([400, 200, 429, 404]));
  expect(entries.filter((entry) => "nearest" in entry)).toEqual([]);
});

test("the explanation follows the world's state when it is shown, and opens no account", () => {
  const sim = createSimulator();
  const { id } = sim.publishers.at(3);
  const { apiKey } = sim.fork().publishers.rotateKey(id);
  const headers = { authorization: `Bearer ${apiKey}` };
  sim.handle({ method: "GET", path: "/v1/publisher/stats", headers });
  const sent = (): string | undefined => sim.journal.entries()[0]?.nearest?.sent;
  expect(sent()).toBe(`Authorization: Bearer with a rotated API key of ${id}`);
  expect(sim.snapshot().accounts).toEqual([]);
  sim.publishers.rotateKey(id);
  expect(sent()).toBe(`Authorization: Bearer with the API key of ${id}`);
});
