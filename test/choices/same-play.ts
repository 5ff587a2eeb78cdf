/** A play of random deeds that can be repeated in another world: the same publishers, surfaces and impressions under its ids. */

import fc from "fast-check";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../src/index.ts";
import {
  type Assumption,
  type AssumptionKey,
  type Assumptions,
  catalogue,
} from "../../src/spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../src/spec/assumptions/resolve.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";

export interface Deed {
  readonly kind: number;
  readonly pick: number;
}

/** What one world did and answered. */
export interface Play {
  readonly sim: Simulator;
  readonly responses: ApiResponse[];
  /** For each click that was sent, the number of the answer that told the id first; undefined if none did. */
  readonly tellers: (number | undefined)[];
  /** Which of the changes by hand were refused. */
  readonly refused: boolean[];
}

interface Turn {
  readonly play: Play;
  readonly pick: number;
  /** The play that this one repeats. */
  readonly original: Play | undefined;
  /** The key that changes by hand leave alone. */
  readonly varied: AssumptionKey | undefined;
}

type Sent = (turn: Turn) => ApiRequest;

interface Someone {
  readonly id: string;
  readonly apiKey: string;
  readonly surfaces: readonly { readonly id: string }[];
}

/** Mostly the first publisher, so that requests meet what earlier ones left behind; now and then the latest sign-up. */
function someone({ play: { sim }, pick }: Turn): Someone {
  const { total } = sim.publishers;
  return sim.publishers.at([0, 0, 0, 1, 0, 0, 2, total - 1][pick % 8] ?? 0);
}

function other({ play: { sim }, pick }: Turn): Someone {
  return sim.publishers.at((pick + 1) % 3);
}

function shown(turn: Turn): Readonly<Record<string, string>> {
  const { id, surfaces } = someone(turn);
  const { pick } = turn;
  const surface = surfaces[pick % 2]?.id ?? "none";
  const event = { publisher_id: id, surface, ad_id: `ad-${pick % 3}` };
  return pick % 5 === 0 ? event : { ...event, session_id: `s-${pick % 16}` };
}

function authorization(turn: Turn): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${someone(turn).apiKey}` };
}

function post(turn: Turn, path: string, body: object): ApiRequest {
  return {
    method: "POST",
    path: `/v1/${path}`,
    headers: authorization(turn),
    body: JSON.stringify(body),
  };
}

function get(turn: Turn, path: string, query: Readonly<Record<string, string>> = {}): ApiRequest {
  return {
    method: "GET",
    path: `/v1/publisher/${path}`,
    query: { publisher_id: someone(turn).id, ...query },
    headers: authorization(turn),
  };
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The requests, by number, so that they shrink. The first ones are the likeliest. */
const requests: readonly Sent[] = [
  (turn) => post(turn, "impression", shown(turn)),
  (turn) => post(turn, "click", { impression_id: clicked(turn) }),
  (turn) => get(turn, ["stats", "surfaces", "payouts"][turn.pick % 3] ?? "stats"),
  // Of the first publisher on the latest impression, so that some repeat others.
  (turn) => post({ ...turn, pick: 0 }, "click", { impression_id: clicked({ ...turn, pick: 0 }) }),
  (turn) => post(turn, "impression", { ...shown(turn), colour: "red" }),
  (turn) => post(turn, "impression", { ...shown(turn), session_id: "" }),
  (turn) => post(turn, "impression", { ...shown(turn), ad_id: turn.pick }),
  (turn) => ({
    ...post(turn, "impression", {}),
    headers: { ...authorization(turn), ...FORM },
    body: new URLSearchParams(shown(turn)).toString(),
  }),
  (turn) => ({ ...post(turn, "impression", {}), query: shown(turn), body: "" }),
  (turn) => ({
    ...post(turn, "impression", shown(turn)),
    headers: { authorization: `bearer ${someone(turn).apiKey}` },
  }),
  (turn) => ({ ...post(turn, "impression", shown(turn)), path: "/v1/impression/" }),
  (turn) => ({ ...get(turn, "payouts"), path: "/v1/publisher/payouts/" }),
  (turn) => ({ ...get(turn, "stats"), method: "HEAD" }),
  (turn) => get(turn, "payouts", { limit: "200" }),
  (turn) => get(turn, "stats", { from: "2026-02-01", to: "2026-01-01" }),
  (turn) => get(turn, "stats", { to: "2027-01-01" }),
  (turn) => get(turn, "stats", { surface: "nowhere" }),
  (turn) => get(turn, "stats", { surface: someone(turn).surfaces[0]?.id ?? "none" }),
  (turn) => get(turn, "stats", { surface: "" }),
  (turn) => get(turn, "stats", { publisher_id: other(turn).id }),
  (turn) => post(turn, "impression", { ...shown(turn), publisher_id: other(turn).id }),
  (turn) => ({
    ...post(turn, "impression", shown(turn)),
    headers: authorization({ ...turn, pick: turn.pick + 1 }),
  }),
  (turn) => post(turn, "impression", { ...shown(turn), surface: "nowhere" }),
  (turn) => post(turn, "click", { impression_id: "imp_none" }),
  (turn) => ({ ...get(turn, "stats"), method: "PUT" }),
  (turn) => ({ ...get(turn, "surfaces"), headers: {} }),
  (turn) => ({ ...get(turn, "surfaces"), headers: { authorization: "Bearer key_nobody" } }),
  (turn) => ({ method: "GET", path: "/v1/nothing", headers: authorization(turn) }),
  (turn) => ({
    ...get(turn, "surfaces"),
    headers: { ...authorization(turn), origin: "http://localhost:5173" },
  }),
  (turn) => ({
    method: "OPTIONS",
    path: "/v1/publisher/stats",
    headers: {
      origin: "http://localhost:5173",
      "access-control-request-method": "GET",
      ...(turn.pick % 2 ? authorization(turn) : {}),
    },
  }),
];

/** The id that this world's clients were told where the original's were told the one that was clicked there. */
function clicked({ play, original, pick }: Turn): string {
  const source = original ?? play;
  const told = source.responses.map(impressionIdIn);
  const place = play.tellers.length;
  if (original === undefined) {
    const numbers = told.flatMap((id, number) => (id === undefined ? [] : [number]));
    const chosen = told[numbers.at(-1 - (pick % 4)) ?? -1];
    play.tellers.push(chosen === undefined ? undefined : told.indexOf(chosen));
    return chosen ?? "imp_none";
  }
  const teller = original.tellers[place];
  play.tellers.push(teller);
  if (teller === undefined) return "imp_none";
  const own = play.responses[teller];
  const like = told[teller] ?? "";
  // Where no answer told it, the comparison lets the client send this.
  return (own && impressionIdIn(own)) ?? `${like}-untold`;
}

function impressionIdIn({ body }: ApiResponse): string | undefined {
  return /"impression_id":"([^"]+)"/.exec(body)?.[1];
}

type Change = (turn: Turn) => unknown;

const verdicts = [
  { kind: "drop" },
  { kind: "lose-response" },
  { kind: "duplicate" },
  { kind: "duplicate", answer: "second" },
  { kind: "respond", status: 503, applied: true },
  { kind: "truncate", atByte: 60 },
] as const;

const changes: readonly Change[] = [
  ({ play: { sim }, pick }) => sim.clock.advance(pick * 977),
  ({ play: { sim }, pick }) => sim.clock.advance(`${pick % 40}h`),
  ({ play: { sim }, pick }) => sim.clock.advance(`${29 + (pick % 3)}m`),
  ({ play: { sim }, pick }) => sim.clock.advance(`${pick % 40}d`),
  (turn) => turn.play.sim.publishers.rotateKey(someone(turn).id),
  ({ play: { sim }, pick }) => sim.publishers.signUp({ name: `N${pick}`, surfaces: ["One"] }),
  (turn) =>
    turn.play.sim.publishers.setSurface(someone(turn).id, someone(turn).surfaces[0]?.id ?? "", {
      status: turn.pick % 2 ? "paused" : "active",
      cpmRange: [10, 10 + turn.pick],
    }),
  ({ play: { sim }, pick, varied }) => {
    const [key, { choices }] = points[(pick * 7) % points.length] ?? ["", { choices: {} }];
    const names = Object.keys(choices);
    const chosen = { [key]: names[pick % names.length], "errors.invalid": "422" };
    const { [varied ?? ""]: _, ...others } = chosen as Record<string, string>;
    sim.assume(others);
  },
  (turn) => {
    const { play, pick } = turn;
    const match = {
      every: 1 + (pick % 3),
      ...(pick % 4 === 0 ? { publisher: someone(turn).id } : {}),
      ...(pick % 4 === 1 ? { surface: someone(turn).surfaces[0]?.id ?? "" } : {}),
      ...(pick % 4 === 2 ? { per: "world" as const } : {}),
    };
    play.sim.faults.add({ match, verdict: verdicts[pick % verdicts.length] ?? verdicts[0] });
  },
  ({ play: { sim } }) =>
    sim.faults.add(({ body }) => (body.includes("ad-1") ? { kind: "lose-response" } : undefined)),
  ({ play: { sim } }) => sim.faults.clear(),
  ({ play: { sim } }) => sim.faults.remove("rule-1"),
];

const points = Object.entries<Assumption>(catalogue);

const CHANGES = changes.length;
const FIRST_CHANGE = 100;

export const anyRequest: fc.Arbitrary<Deed> = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.nat(3) },
    { weight: 4, arbitrary: fc.nat(requests.length - 1) },
  ),
  pick: fc.nat(60),
});
const anyChange = fc.record({
  kind: fc.nat(CHANGES - 1).map((kind) => kind + FIRST_CHANGE),
  pick: fc.nat(60),
});
/** Sixty-one times the same: more than the limit of the reporting endpoints. */
const BURST = 200;
const anyBurst = fc.record({ kind: fc.constant(BURST + 2), pick: fc.nat(60) });

export const anyDeeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: anyRequest },
    { weight: 5, arbitrary: anyChange },
    { weight: 1, arbitrary: anyBurst },
  ),
  { maxLength: 40 },
);

/** Some choices that aren't the default. */
export const anyAssumptions: fc.Arbitrary<Partial<Assumptions>> = fc
  .array(fc.tuple(fc.nat(points.length - 1), fc.nat(6)), { maxLength: 6 })
  .map((places) => {
    const chosen = places.map(([place, choice]) => {
      const [key, { choices }] = points[place] ?? ["", { choices: {} }];
      return [key, Object.keys(choices)[choice % Object.keys(choices).length]];
    });
    return Object.fromEntries(chosen);
  });

/** Plays in a new world. `original`: the play to repeat. @throws InputError for a change that only this world refuses. */
export function playIn(
  options: SimulatorOptions,
  deeds: readonly Deed[],
  original?: Play,
  varied?: AssumptionKey,
): Play {
  const sim = createSimulator(options);
  const play: Play = { sim, responses: [], tellers: [], refused: [] };
  for (const { kind, pick } of deeds) {
    const turn: Turn = { play, pick, original, varied };
    const change = changes[kind - FIRST_CHANGE];
    if (change !== undefined) {
      makeChange(turn, change);
      continue;
    }
    const request = requests[kind % BURST]?.(turn);
    const times = kind >= BURST ? 61 : 1;
    for (let sent = 0; request !== undefined && sent < times; sent += 1) {
      play.responses.push(sim.handle(request));
    }
  }
  return play;
}

function makeChange(turn: Turn, change: Change): void {
  const { refused } = turn.play;
  if (turn.original !== undefined) {
    const place = refused.length;
    if (turn.original.refused[place] !== true) change(turn);
    refused.push(turn.original.refused[place] === true);
    return;
  }
  try {
    change(turn);
    refused.push(false);
  } catch {
    refused.push(true);
  }
}

/** A request for this world. */
export function requestFor(play: Play, { kind, pick }: Deed, original?: Play): ApiRequest {
  const turn: Turn = { play, pick, original, varied: undefined };
  const request = requests[kind]?.(turn);
  if (request === undefined) throw new Error("There is no such request.");
  return request;
}

export function withChoice(
  assumptions: Assumptions,
  key: AssumptionKey,
  choice: string,
): Assumptions {
  return resolveAssumptions({ ...assumptions, [key]: choice });
}
