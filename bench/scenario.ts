/**
 * The scenario `busy-day` as it ships, played in this process to the end: 11.6 million events, checked. A turn of its traffic
 * and one of parsing alone follow one another.
 */

import { scenario } from "../scenarios/busy-day.ts";
import { play } from "../src/play/player/play.ts";
import { driveAtOnce, performersOn, simulatorFor } from "../src/play/player/play-in-process.ts";
import type { Observer } from "../src/play/traffic/order.ts";
import { parseScenario } from "../src/scenario.ts";
import { parseBody, printFigure, printMachine, timed } from "./measure.ts";

/** Short enough to fall between disturbances. */
const TURN_EVENTS = 5000;
/** Parsed between two turns. */
const BODIES = 2000;

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
    capabilities: { time: { kind: "virtual" }, control: true },
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

const { turns, parsing, restMs, events } = playOnce();
const rate = (events * 1000) / (sum(turns) + restMs);
const parsedASecond = (BODIES * parsing.length * 1000) / sum(parsing);

printMachine();
printFigure({ name: "busy-day, to its end", value: rate, unit: "events a second" });
printFigure({
  name: "busy-day, share of parsing impressions alone",
  value: rate / parsedASecond,
  unit: "×",
  atLeast: 0.25,
});
