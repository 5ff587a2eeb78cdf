/**
 * The one workload of the contract: sessions of five shapes. Each is a few commands and scenes in a row, under zero to three
 * choices of the assumptions. Every part of it can shrink to nothing.
 */

import fc from "fast-check";
import type { Choices } from "../../simulator/simulator-options.ts";
import { type AssumptionKey, catalogue } from "../../spec/assumptions/catalogue.ts";
import { type Command, withShortWait } from "../session/command.ts";
import { REAL_WAIT_MS } from "../time/real-time.ts";
import {
  adAgain,
  again,
  anyFault,
  anyPause,
  click,
  close,
  closingScenes,
  eventScenes,
  fault,
  flush,
  maybe,
  oddView,
  payouts,
  periodStats,
  query,
  queryScenes,
  type Scene,
  some,
  stats,
  surfaces,
  together,
  view,
  weighted,
} from "./scenes.ts";

/** What happens in a session, and where. */
export interface Trial {
  readonly commands: readonly Command[];
  /** Besides the contract's own. */
  readonly choices: Choices;
  /** The machine's time zone; undefined: as it is. */
  readonly timeZone: string | undefined;
}

/** Both sides of UTC, both sides of the date line, and clocks that change by an hour and by half an hour. */
const timeZones = [
  ...["UTC", "Asia/Kolkata", "America/Los_Angeles"],
  ...["Pacific/Kiritimati", "Australia/Lord_Howe"],
];

export interface WorkloadOptions {
  /** The contract's own choices: its user knows the service, so they aren't varied. */
  readonly assumptions: Choices;
  readonly isReal: boolean;
  readonly variesTimeZone: boolean;
  /** Sessions of rules that users write. */
  readonly own: readonly fc.Arbitrary<readonly Command[]>[];
}

export function arbitraryTrial(options: WorkloadOptions): fc.Arbitrary<Trial> {
  const { assumptions, isReal, variesTimeZone, own } = options;
  const commands = weighted<readonly Command[]>(
    ...shapes,
    ...own.map((one) => [SHARE_OF_OWN, one] as const),
  );
  return fc.record({
    commands: isReal ? commands.map(shortened) : commands,
    choices: someChoices(assumptions),
    timeZone: variesTimeZone ? fc.constantFrom(...timeZones) : fc.constant(undefined),
  });
}

function shortened(commands: readonly Command[]): readonly Command[] {
  return commands.map((one) => withShortWait(one, REAL_WAIT_MS / 1000));
}

/** A client may depend on these, and say so in the contract's own assumptions. */
const notVaried: readonly AssumptionKey[] = ["request.encoding", "http.cors"];

/** Zero to three of them. */
function someChoices(own: Choices): fc.Arbitrary<Choices> {
  const all = Object.entries(catalogue).flatMap(([key, { choices }]) => {
    const isVaried = !notVaried.some((one) => one === key) && !Object.hasOwn(own, key);
    return isVaried ? Object.keys(choices).map((choice) => [key, choice] as const) : [];
  });
  if (all.length === 0) return fc.constant({});
  const drawn = fc.array(fc.constantFrom(...all), { maxLength: 3, size: "max" });
  return fc.noBias(drawn).map((pairs) => Object.fromEntries(pairs));
}

/** A part of a session: a command, or a scene. */
type Part = fc.Arbitrary<readonly Command[]>;

function acted(scene: Scene): Part {
  return fc.tuple(...scene.map(maybe)).map((all) => all.filter(isThere));
}

function isThere(command: Command | undefined): command is Command {
  return command !== undefined && !(command.kind === "together" && command.commands.length === 0);
}

function single(command: fc.Arbitrary<Command>): Part {
  return command.map((one) => [one]);
}

function sceneOf(scenes: readonly Scene[]): Part {
  return fc.oneof(...scenes.map(acted));
}

/** Up to `maxLength` parts in a row. */
function inRow(
  maxLength: number,
  ...parts: readonly (readonly [weight: number, of: Part])[]
): fc.Arbitrary<readonly Command[]> {
  const all = fc.array(weighted(...parts), { minLength: 1, maxLength, size: "max" });
  return fc.noBias(all).map((some) => some.flat());
}

/** The weight of the sessions of a rule of one's own, beside those of the five shapes. */
const SHARE_OF_OWN = 10;

const calm = anyPause;

/** Views, clicks, figures, rounds of all that a page does, and everything mixed. */
const shapes: readonly (readonly [weight: number, of: fc.Arbitrary<readonly Command[]>])[] = [
  [
    7,
    inRow(
      6,
      [3, single(view)],
      [2, single(oddView)],
      [2, single(adAgain)],
      [3, single(again)],
      [1, single(calm)],
      [1, single(flush)],
      [1, single(fault(anyFault, some))],
      [4, sceneOf(eventScenes)],
    ),
  ],
  [
    4,
    inRow(
      6,
      [3, single(view)],
      [4, single(click)],
      [1, single(adAgain)],
      [1, single(calm)],
      [1, single(flush)],
      [1, single(fault(anyFault, some))],
      [2, sceneOf(eventScenes.slice(0, 4))],
      [1, single(together([view, click]))],
    ),
  ],
  [
    5,
    inRow(
      6,
      [2, single(stats)],
      [3, single(periodStats)],
      [1, single(surfaces)],
      [2, single(payouts)],
      [1, single(view)],
      [2, single(calm)],
      [4, sceneOf(queryScenes)],
    ),
  ],
  [
    3,
    inRow(
      12,
      [4, single(view)],
      [1, single(oddView)],
      [3, single(click)],
      [2, single(query)],
      [1, single(again)],
      [2, single(calm)],
      [1, single(flush)],
      [1, single(together([view, click, stats]))],
    ),
  ],
  [
    6,
    fc
      .tuple(
        inRow(
          3,
          [3, sceneOf(eventScenes)],
          [2, sceneOf(queryScenes)],
          [1, single(view)],
          [1, single(click)],
          [1, single(query)],
        ),
        weighted<readonly Command[]>(
          [2, fc.constant([])],
          [2, sceneOf(closingScenes)],
          [1, single(close)],
        ),
      )
      .map((all) => all.flat()),
  ],
];
