/**
 * The scenario `busy-day` as it ships, played in this process to the end: 11.6 million events, checked. A turn of its traffic
 * and one of parsing alone follow one another.
 */

import { scenario } from "../scenarios/busy-day.ts";
import type { Observer } from "../src/scenario/player/effects.ts";
import { driveAtOnce, performersOn, simulatorFor } from "../src/scenario/player/in-process.ts";
import { play } from "../src/scenario/player/play.ts";
import { parseScenario } from "../src/scenario.ts";
import { printFigure, printMachine, timed } from "./measure.ts";
import { noVerdict, parseBody, peaceOf } from "./peace.ts";

/** Short enough to fall between disturbances. */
const TURN_EVENTS = 5000;
/** Parsed between two turns. */
const BODIES = 2000;
/** How many parts of the day must have turns in peace: not all hours have as much to compare with. */
const PARTS_OF_THE_DAY = 8;

interface Played {
  /** Milliseconds of each turn, and of parsing before each and after the last. */
  readonly turns: readonly number[];
  readonly parsing: readonly number[];
  /** Of all else that playing takes, in milliseconds. */
  readonly restMs: number;
  readonly events: number;
}

function playOnce(): Played {
  const parsed = parseScenario(scenario);
  const performers = performersOn(simulatorFor(parsed));
  const bodies = bodiesToParse();
  const turns: number[] = [];
  const parsing: number[] = [];
  let beganMs = 0;
  let seen = 0;
  let events = 0;
  function pause(): void {
    parsing.push(
      timed(() => {
        for (const body of bodies) parseBody(body);
      }),
    );
    beganMs = performance.now();
  }
  function counting(observe: Observer): Observer {
    return (exchange) => {
      observe(exchange);
      events += 1;
      seen += 1;
      if (seen < TURN_EVENTS) return;
      seen = 0;
      turns.push(performance.now() - beganMs);
      pause();
    };
  }
  const { traffic } = performers;
  const timedPerformers: typeof performers = {
    ...performers,
    traffic(effect) {
      pause();
      const observe = counting(effect.order.observe);
      return traffic({ ...effect, order: { ...effect.order, observe } });
    },
  };
  const playing = play(parsed, {
    abilities: { time: { kind: "virtual" }, control: true },
    target: { kind: "in-process", url: undefined },
    reproduce: "npm run bench:scenario",
  });
  const wholeMs = timed(() => {
    const { verdict, why } = driveAtOnce(playing, timedPerformers);
    if (verdict !== "held") throw new Error(`It didn't hold: ${why}`);
  });
  return { turns, parsing, restMs: wholeMs - sum(turns) - sum(parsing), events };
}

/** As traffic has them, of one size. */
function bodiesToParse(): readonly string[] {
  return Array.from({ length: BODIES }, (_, index) =>
    JSON.stringify({
      publisher_id: "pub_0123456789abc",
      surface: "srf_0123456789abc",
      ad_id: `ad-${index % 20}`,
      session_id: `1a2b3c4-0-${1_000_000 + index}`,
    }),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((left, right) => left + right, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

const { turns, parsing, restMs, events } = playOnce();
/** Events a second with turns that take so long, and the rest of playing. */
const rateWith = (turnMs: number): number => 1000 / (turnMs / TURN_EVENTS + restMs / events);
const inPeace = peaceOf(parsing, PARTS_OF_THE_DAY, (turn) =>
  Math.floor((turn * PARTS_OF_THE_DAY) / parsing.length),
);

printMachine();
console.log(`${inPeace.turns.length} of ${turns.length} turns in peace`);
if (inPeace.isEnough) {
  const value = rateWith(mean(inPeace.turns.map((turn) => turns[turn] ?? Number.NaN)));
  printFigure({ name: "busy-day, in peace", value, unit: "events a second", atLeast: 400_000 });
}
printFigure({
  name: "busy-day, over all turns",
  value: rateWith(mean(turns)),
  unit: "events a second",
});
const parsedASecond = (BODIES * 1000) / mean(parsing);
printFigure({
  name: "busy-day, share of parsing impressions alone",
  value: rateWith(mean(turns)) / parsedASecond,
  unit: "×",
});
if (!inPeace.isEnough) console.log(noVerdict);
