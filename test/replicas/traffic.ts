/**
 * What each publisher sends, in order: a function of the seed, its own number and the answers that it got before. So a service
 * that answers the same gets the same requests.
 */

import { deriveKey, drawBetween, type Key, subKey } from "../../src/base/random.ts";
import type { Publisher } from "../../src/index.ts";
import { requestText } from "./connection.ts";
import { WORLD } from "./replicas.ts";

export interface Sent {
  readonly text: string;
  /** Takes the body of a success. */
  readonly learn?: (body: string) => void;
}

export interface Sender {
  next(): Sent;
}

const JSON_TYPE = { "content-type": "application/json" };
const stream = deriveKey("replicas", "traffic");

interface SenderState {
  readonly publisher: Publisher;
  readonly other: Publisher;
  readonly key: Readonly<Record<string, string>>;
  /** A draw from 0 up to a number. */
  upTo(most: number): number;
  /** Impressions that were recorded, in the default world. */
  readonly recorded: string[];
  /** The bodies of impressions with a session. */
  readonly sessions: string[];
}

/** Everything that a publisher may do, with its weight. A dashboard mostly reads, and more often than 60 times a minute. */
const actions: readonly (readonly [weight: number, ofDashboard: number, action: Action])[] = [
  [50, 5, (state, serial) => impression(state, { session_id: `s-${serial} ✓` })],
  [8, 1, (state) => impression(state, {})],
  [8, 1, repeated],
  [10, 2, clicked],
  [5, 50, ({ publisher, key }) => read("stats", publisher, key)],
  [3, 20, ({ publisher, key }) => read("surfaces", publisher, key)],
  [3, 15, ({ publisher, key }) => read("payouts", publisher, key)],
  [6, 2, mistaken],
  [3, 2, unauthenticated],
  [4, 2, elsewhere],
];

type Action = (state: SenderState, serial: number) => Sent;

export function createSender(publishers: readonly Publisher[], index: number): Sender {
  const [publisher, other] = [publishers[index], publishers[(index + 1) % publishers.length]];
  if (publisher === undefined || other === undefined) throw new Error(`No publisher ${index}.`);
  const own: Key = subKey(stream, index);
  let drawn = 0;
  let serial = 0;
  const state: SenderState = {
    publisher,
    other,
    key: { authorization: `Bearer ${publisher.apiKey}` },
    upTo: (most) => drawBetween(own, drawn++, 0, most - 1),
    recorded: [],
    sessions: [],
  };
  const weights = actions.map(([usual, ofDashboard]) => (index % 10 === 0 ? ofDashboard : usual));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    next() {
      serial += 1;
      let at = state.upTo(total);
      const chosen = weights.findIndex((weight) => {
        at -= weight;
        return at < 0;
      });
      const [, , action = repeated] = actions[chosen] ?? [];
      return action(state, serial);
    },
  };
}

function post(
  path: string,
  body: object | string,
  headers: Readonly<Record<string, string>>,
): Sent {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { text: requestText("POST", path, { ...headers, ...JSON_TYPE }, text) };
}

function impression(state: SenderState, more: Readonly<Record<string, string>>): Sent {
  const { publisher, upTo, key, recorded, sessions } = state;
  const surface = publisher.surfaces[upTo(publisher.surfaces.length)]?.id;
  const body = { publisher_id: publisher.id, surface, ad_id: `ad-${upTo(3)}`, ...more };
  if ("session_id" in more) sessions.push(JSON.stringify(body));
  return {
    ...post("/v1/impression", body, key),
    learn(answer) {
      const { impression_id } = JSON.parse(answer);
      if (typeof impression_id === "string") recorded.push(impression_id);
    },
  };
}

function repeated(state: SenderState, serial: number): Sent {
  const { sessions, upTo, key } = state;
  const body = sessions[upTo(sessions.length + 1)];
  return body === undefined
    ? impression(state, { session_id: `r-${serial}` })
    : post("/v1/impression", body, key);
}

function clicked({ recorded, upTo, key }: SenderState): Sent {
  return post("/v1/click", { impression_id: recorded[upTo(recorded.length + 1)] ?? "imp_0" }, key);
}

function read(
  what: string,
  { id }: Publisher,
  key: Readonly<Record<string, string>>,
  { method = "GET", prefix = "" } = {},
): Sent {
  return { text: requestText(method, `${prefix}/v1/publisher/${what}?publisher_id=${id}`, key) };
}

function mistaken({ publisher, other, upTo, key }: SenderState): Sent {
  const ad = { publisher_id: publisher.id, surface: publisher.surfaces[0]?.id, ad_id: "a" };
  const mistakes: readonly Sent[] = [
    post("/v1/impression", { ...ad, ad_id: "" }, key),
    post("/v1/impression", { ...ad, surface: "srf_nowhere" }, key),
    post("/v1/impression", { ...ad, publisher_id: other.id }, key),
    post("/v1/impression", '{"publisher_id":', key),
    post("/v1/click", { impression_id: null }, key),
    read("stats", other, key),
    read("surfaces", publisher, key, { method: "HEAD" }),
    read("nothing", publisher, key),
    read("stats", publisher, key, { method: "DELETE" }),
  ];
  return mistakes[upTo(mistakes.length)] ?? read("stats", other, key);
}

function unauthenticated({ publisher, upTo }: SenderState): Sent {
  const headers = [
    {},
    { authorization: `Bearer ${publisher.apiKey}x` },
    { authorization: publisher.apiKey },
    { authorization: `Bearer ${publisher.apiKey} x` },
  ];
  return read("surfaces", publisher, headers[upTo(headers.length)] ?? {});
}

/** In another world, or with the key spelt in another way. */
function elsewhere(state: SenderState, serial: number): Sent {
  const { publisher, upTo, key } = state;
  const there = [`/@${WORLD}`, "/@default"][upTo(2)] ?? "";
  const spelt = { authorization: `bearer  ${publisher.apiKey} ` };
  const event = { publisher_id: publisher.id, surface: publisher.surfaces[0]?.id, ad_id: "e" };
  const body = { ...event, session_id: `e-${serial}` };
  const all: readonly Sent[] = [
    post(`${there}/v1/impression`, body, key),
    post(`${there}/v1/impression`, body, spelt),
    read("stats", publisher, spelt, { prefix: there }),
    read("payouts", publisher, spelt),
  ];
  return all[upTo(all.length)] ?? read("payouts", publisher, spelt);
}
