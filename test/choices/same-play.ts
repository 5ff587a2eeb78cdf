/** A random play that can be done again in another world: its clients click on what they were told there. */

import fc from "fast-check";
import {
  createSimulator,
  InputError,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { impressionIdIn } from "../sender.ts";

export interface Play {
  readonly sim: Simulator;
  /** What was done. Changes that were refused aren't in it. */
  readonly steps: Step[];
  /** The impression's id in each answer; empty where there is none. */
  readonly told: string[];
}

/** Something to do in any world. */
type Step = Asking | ((sim: Simulator) => unknown);

interface Asking {
  request(there: Play): ApiRequest;
}

/** Chooses one of the values. */
type Choose = <Value>(...values: readonly Value[]) => Value;
type Deed<Done extends Step> = (play: Play, choose: Choose) => Done;

/** Mostly the first publisher, so that requests meet what earlier ones left behind. */
function pickIn({ sim: { publishers } }: Play, choose: Choose) {
  const ordinal = choose(0, 0, 0, 1, publishers.total - 1);
  const { id: publisher_id, apiKey: key, surfaces } = publishers.at(ordinal);
  return { publisher_id, key, surface: surfaces[choose(0, 0, 1)]?.id ?? "none" };
}

const verdicts = [
  { kind: "drop" },
  { kind: "lose-response" },
  { kind: "duplicate" },
  { kind: "duplicate", answer: "second" },
  { kind: "respond", status: 503, applied: true },
  { kind: "truncate", atByte: 60 },
] as const;

const encodings = ["json", "form", "query"] as const;

const impression: Deed<Asking> = (play, choose) => {
  const { key, ...own } = pickIn(play, choose);
  const session = choose({}, { session_id: "a" }, { session_id: "b" });
  const ad = { ...own, ad_id: choose("1", "2"), ...session };
  const request = buildRequest("impression", ad, { key });
  return { request: () => request };
};

const click: Deed<Asking> = (play, choose) => {
  const { key } = pickIn(play, choose);
  const id = play.told.filter((one) => one !== "").at(-choose(1, 1, 2, 3)) ?? "unknown";
  const teller = play.told.indexOf(id);
  const encoding = choose(...encodings);
  return {
    request({ told }) {
      // Where no answer told it, the comparison lets the client send this.
      const impression_id = teller === -1 ? id : told[teller] || `${id}-untold`;
      return buildRequest("click", { impression_id }, { key, encoding });
    },
  };
};

/** Reads, and what is wrong or unusual. */
const other: Deed<Asking> = (play, choose) => {
  const { publisher_id, key, surface } = pickIn(play, choose);
  const foreign = { publisher_id: play.sim.publishers.at(2).id };
  const get = (what: "stats" | "surfaces" | "payouts", query = {}) =>
    buildRequest(what, { publisher_id, ...query }, { key });
  const encoding = choose(...encodings);
  const post = (values = {}) => {
    const ad = { publisher_id, surface, ad_id: "1", ...values };
    return buildRequest("impression", ad, { key, encoding });
  };
  const request = choose<ApiRequest>(
    get("stats"),
    get("surfaces"),
    get("payouts"),
    get("payouts", { limit: "200" }),
    get("stats", { surface: choose(surface, "", "nowhere") }),
    get("stats", { from: "2026-02-01", to: choose("2026-01-01", "2027-01-01") }),
    get("stats", foreign),
    { ...get("stats"), headers: { authorization: choose("Bearer nobody", `bearer ${key}`) } },
    { ...get("stats"), method: "OPTIONS", headers: { origin: "http://localhost" } },
    post(choose({ colour: "red" }, { ad_id: 7 }, { session_id: "" }, { surface: "nowhere" })),
    post(foreign),
    post(),
  );
  return { request: () => request };
};

const again: Deed<Step> = ({ steps }, choose) => steps.at(-choose(1, 2, 3)) ?? (() => "nothing");

const change: Deed<Step> = (play, choose) => {
  const { publisher_id: publisher, surface } = pickIn(play, choose);
  const minutes = choose(1, 29, 30, 31, 900, 1440, 30_000);
  const status = choose("paused", "active");
  const about = choose({}, { publisher }, { surface }, { per: "world" as const });
  const match = { every: choose(1, 2), ...about };
  const verdict = choose<(typeof verdicts)[number]>(...verdicts);
  const advance: Step = ({ clock }) => clock.advance(`${minutes}m`);
  return choose<Step>(
    ...[advance, advance, advance, advance],
    ({ publishers }) => publishers.setSurface(publisher, surface, { status, cpmRange: [10, 40] }),
    ({ publishers }) => publishers.rotateKey(publisher),
    ({ publishers }) => publishers.signUp({ surfaces: ["One"] }),
    ({ faults }) => faults.add({ match, verdict }),
    ({ faults }) => faults.add(({ body }) => (body.includes('"2"') ? verdict : undefined)),
    ({ faults }) => faults.clear(),
  );
};

const usual = [impression, click, other, again, change];

/** Numbers shrink well. */
function chooserOf(generate: fc.GeneratorValue): Choose {
  return <Value>(...values: readonly Value[]) =>
    // The index is one of the list's.
    values[generate(fc.nat, { max: values.length - 1 })] as Value;
}

/** A request that is ready to be sent to this world, and to one that is played the same. */
export function anyAsking(play: Play, generate: fc.GeneratorValue): Asking {
  const choose = chooserOf(generate);
  return choose(impression, click, other)(play, choose);
}

export function playIn(options: SimulatorOptions, generate: fc.GeneratorValue): Play {
  const choose = chooserOf(generate);
  const play: Play = { sim: createSimulator(options), steps: [], told: [] };
  for (let left = generate(fc.nat, { max: 40 }); left > 0; left -= 1) {
    const step = choose(...usual)(play, choose);
    // Sixty-one reads are more than the limit.
    const times = "request" in step && generate(fc.nat, { max: 40 }) === 40 ? 61 : 1;
    try {
      for (let done = 0; done < times; done += 1) perform(play, step);
    } catch (error) {
      // A change that is refused isn't part of the play.
      if (!(error instanceof InputError)) throw error;
    }
  }
  return play;
}

/** @throws InputError for a change that only this world refuses. */
export function playAgain({ steps }: Play, options: SimulatorOptions): Play {
  const play: Play = { sim: createSimulator(options), steps: [], told: [] };
  for (const step of steps) perform(play, step);
  return play;
}

function perform(play: Play, step: Step): void {
  if (typeof step === "function") step(play.sim);
  else play.told.push(impressionIdIn(play.sim.handle(step.request(play))));
  play.steps.push(step);
}
