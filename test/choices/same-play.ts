/** A play of random deeds that can be done again in another world: its clients click on what they were told there. */

import fc from "fast-check";
import {
  type Assumption,
  type Assumptions,
  catalogue,
  createSimulator,
  InputError,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";

/** What kind of request or change, and with which of its possible values. Numbers shrink well. */
export interface Deed {
  readonly kind: number;
  readonly pick: number;
}

export interface Sending {
  readonly request: ApiRequest;
  readonly times: number;
  /** For a click: the number of the answer that told the impression first. */
  readonly teller?: number | undefined;
}

type Change = (sim: Simulator) => unknown;

export interface Play {
  readonly sim: Simulator;
  /** What was done. Changes that were refused aren't in it. */
  readonly done: (Sending | Change)[];
  readonly responses: ApiResponse[];
}

type Values = Readonly<Record<string, unknown>>;
type Turn = ReturnType<typeof turnOf>;

function turnOf(play: Play, pick: number) {
  const { publishers } = play.sim;
  // Mostly the first publisher, so that requests meet what earlier ones left behind; now and then the latest sign-up.
  const ordinal = [0, 0, 0, 1, 0, 0, 2, publishers.total - 1][pick % 8] ?? 0;
  const { id: publisher_id, apiKey: key, surfaces } = publishers.at(ordinal);
  const ad = { publisher_id, surface: surfaces[pick % 2]?.id ?? "none", ad_id: `ad-${pick % 3}` };
  return {
    ...{ play, pick, id: publisher_id, key, surface: surfaces[0]?.id ?? "none" },
    other: publishers.at((pick + 1) % 3).id,
    ad: pick % 5 === 0 ? ad : { ...ad, session_id: `s-${pick % 16}` },
    get: (what: "stats" | "surfaces" | "payouts", query: Values = {}) =>
      buildRequest(what, { publisher_id, ...query }, { key }),
    post: (
      what: "impression" | "click",
      values: Values,
      options: Parameters<typeof buildRequest>[2] = {},
    ) => buildRequest(what, values, { key, ...options }),
  };
}

/** The first ones are the likeliest. */
const requests: readonly ((turn: Turn) => ApiRequest | Omit<Sending, "times">)[] = [
  ({ post, ad }) => post("impression", ad),
  click,
  ({ get, pick }) => get((["stats", "surfaces", "payouts"] as const)[pick % 3] ?? "stats"),
  // Of the first publisher on the latest impression, so that some repeat others.
  ({ play }) => click(turnOf(play, 0)),
  ({ post, ad }) => post("impression", { ...ad, colour: "red" }),
  ({ post, ad }) => post("impression", { ...ad, session_id: "" }),
  ({ post, ad, pick }) => post("impression", { ...ad, ad_id: pick }),
  ({ post, ad }) => post("impression", ad, { encoding: "form" }),
  ({ post, ad }) => post("impression", ad, { encoding: "query" }),
  ({ post, ad, key }) => post("impression", ad, { headers: { authorization: `bearer ${key}` } }),
  ({ get }) => get("payouts", { limit: "200" }),
  ({ get }) => get("stats", { from: "2026-02-01", to: "2026-01-01" }),
  ({ get }) => get("stats", { to: "2027-01-01" }),
  ({ get }) => get("stats", { surface: "nowhere" }),
  ({ get, surface }) => get("stats", { surface }),
  ({ get }) => get("stats", { surface: "" }),
  ({ get, other }) => get("stats", { publisher_id: other }),
  ({ post, ad, other }) => post("impression", { ...ad, publisher_id: other }),
  ({ post, ad }) => post("impression", { ...ad, surface: "nowhere" }),
  ({ post }) => post("click", { impression_id: "imp_none" }),
  ({ get }) => ({ ...get("surfaces"), headers: { authorization: "Bearer key_nobody" } }),
  ({ get }) => ({ ...get("stats"), method: "OPTIONS", headers: { origin: "http://localhost" } }),
];

/** Clicks on one of the latest impressions. */
function click({ play, pick, post }: Turn): Omit<Sending, "times"> {
  const told = play.responses.map(impressionIdIn);
  const id = told.filter((one) => one !== undefined).at(-1 - (pick % 4));
  const request = post("click", { impression_id: id ?? "imp_none" });
  return { request, teller: id === undefined ? undefined : told.indexOf(id) };
}

function impressionIdIn({ body }: ApiResponse): string | undefined {
  return /"impression_id":"([^"]+)"/.exec(body)?.[1];
}

const points = Object.entries<Assumption>(catalogue);
const verdicts = [
  { kind: "drop" },
  { kind: "lose-response" },
  { kind: "duplicate" },
  { kind: "duplicate", answer: "second" },
  { kind: "respond", status: 503, applied: true },
  { kind: "truncate", atByte: 60 },
] as const;

const changes: readonly ((sim: Simulator, turn: Turn) => unknown)[] = [
  ({ clock }, { pick }) => clock.advance(pick * 977),
  ({ clock }, { pick }) => clock.advance(`${pick % 40}h`),
  ({ clock }, { pick }) => clock.advance(`${29 + (pick % 3)}m`),
  ({ clock }, { pick }) => clock.advance(`${pick % 40}d`),
  ({ publishers }, { id }) => publishers.rotateKey(id),
  ({ publishers }, { pick }) => publishers.signUp({ name: `N${pick}`, surfaces: ["One"] }),
  ({ publishers }, { id, surface, pick }) => {
    const status = pick % 2 ? "paused" : "active";
    publishers.setSurface(id, surface, { status, cpmRange: [10, 10 + pick] });
  },
  ({ faults }, { id: publisher, surface, pick }) => {
    const about = [{ publisher }, { surface }, { per: "world" as const }, {}][pick % 4];
    const verdict = verdicts[pick % verdicts.length] ?? verdicts[0];
    faults.add({ match: { every: 1 + (pick % 3), ...about }, verdict });
  },
  ({ faults }) =>
    faults.add(({ body }) => (body.includes("ad-1") ? { kind: "lose-response" } : undefined)),
  ({ faults }) => faults.clear(),
  ({ faults }) => faults.remove("rule-1"),
];

const FIRST_CHANGE = 100;
/** Sixty-one reads: more than the limit of the reporting endpoints. */
const BURST = 200;

export const anyRequest: fc.Arbitrary<Deed> = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.nat(3) },
    { weight: 4, arbitrary: fc.nat(requests.length - 1) },
  ),
  pick: fc.nat(60),
});
const anyChange = fc.nat(changes.length - 1).map((kind) => kind + FIRST_CHANGE);

export const anyDeeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: anyRequest },
    { weight: 5, arbitrary: fc.record({ kind: anyChange, pick: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant(BURST), pick: fc.nat(60) }) },
  ),
  { maxLength: 40 },
);

/** Some choices that aren't the default. */
export const anyAssumptions: fc.Arbitrary<Partial<Assumptions>> = fc
  .array(fc.tuple(fc.constantFrom(...points), fc.nat(6)), { maxLength: 6 })
  .map((chosen) =>
    Object.fromEntries(
      chosen.map(([[key, { choices }], place]) => {
        const names = Object.keys(choices);
        return [key, names[place % names.length]];
      }),
    ),
  );

export function playIn(options: SimulatorOptions, deeds: readonly Deed[]): Play {
  const play = newPlay(options);
  for (const deed of deeds) {
    const turn = turnOf(play, deed.pick);
    const change = changes[deed.kind - FIRST_CHANGE];
    const again: Change | undefined = change && ((sim) => change(sim, turn));
    try {
      perform(play, again ?? sendingOf(play, deed));
    } catch (error) {
      // A change that is refused isn't part of the play.
      if (!(error instanceof InputError)) throw error;
    }
  }
  return play;
}

/** @throws InputError for a change that only this world refuses. */
export function playAgain(original: Play, options: SimulatorOptions): Play {
  const play = newPlay(options);
  for (const step of original.done) {
    const isChange = typeof step === "function";
    perform(play, isChange ? step : asToldIn(play, step, original));
  }
  return play;
}

function newPlay(options: SimulatorOptions): Play {
  return { sim: createSimulator(options), done: [], responses: [] };
}

function perform({ sim, done, responses }: Play, step: Sending | Change): void {
  if (typeof step === "function") step(sim);
  else for (let sent = 0; sent < step.times; sent += 1) responses.push(sim.handle(step.request));
  done.push(step);
}

export function sendingOf(play: Play, { kind, pick }: Deed): Sending {
  const made = requests[kind === BURST ? 2 : kind]?.(turnOf(play, pick));
  if (made === undefined) throw new Error("There is no such request.");
  const sending = "request" in made ? made : { request: made };
  return { ...sending, times: kind === BURST ? 61 : 1 };
}

/** A click is on the impression that this play's client was told about. */
export function asToldIn(play: Play, sending: Sending, original: Play): Sending {
  const { teller, request } = sending;
  if (teller === undefined) return sending;
  const [id, there] = [original, play].map(({ responses }) => {
    const answer = responses[teller];
    return answer && impressionIdIn(answer);
  });
  // Where no answer told it, the comparison lets the client send this.
  const impression_id = there ?? `${id}-untold`;
  return { ...sending, request: { ...request, body: JSON.stringify({ impression_id }) } };
}
