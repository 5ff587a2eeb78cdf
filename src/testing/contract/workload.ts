/**
 * The one workload of the contract: sessions of five shapes. Each is a few words and scenes in a row, under zero to three choices
 * of the assumptions. Every part of it can shrink to nothing.
 */

import fc from "fast-check";
import type { Choices } from "../../simulator/simulator-options.ts";
import { type AssumptionKey, catalogue, choicesOf } from "../../spec/assumptions/catalogue.ts";
import type { Command } from "../session/command.ts";
import { type Scene, sceneOf, wordsIn } from "./scene.ts";
import { closingScenes, eventScenes, queryScenes, realTimeScenes } from "./scenes.ts";

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
  readonly own: readonly Scene[];
}

export function arbitraryTrial(options: WorkloadOptions): fc.Arbitrary<Trial> {
  const { assumptions, isReal, variesTimeZone, own } = options;
  const timeZone = variesTimeZone ? fc.constantFrom(...timeZones) : fc.constant(undefined);
  const trials = (isReal ? [inRealTime] : shapes).map(({ weight, about, parts: commands }) => ({
    weight,
    arbitrary: fc.record({ commands, choices: someChoices(assumptions, about), timeZone }),
  }));
  const others = own.map((commands) => ({
    weight: SHARE_OF_OWN,
    arbitrary: fc.record({ commands, choices: someChoices(assumptions, /./), timeZone }),
  }));
  return fc.oneof(...trials, ...others);
}

/** A client may depend on these, and say so in the contract's own assumptions. */
const notVaried: readonly string[] = ["request.encoding", "http.cors"];

/** Zero to three of them, two thirds from the keys that matter most. They shrink to none. */
function someChoices(own: Choices, about: RegExp): fc.Arbitrary<Choices> {
  const all = Object.keys(catalogue)
    .filter((key) => !notVaried.includes(key) && !Object.hasOwn(own, key))
    .flatMap((key) => choicesOf(catalogue[key as AssumptionKey]).map((choice) => [key, choice]));
  const near = all.filter(([key = ""]) => about.test(key));
  if (near.length === 0) return fc.constant({});
  const one = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...near) },
    { weight: 1, arbitrary: fc.constantFrom(...all) },
  );
  return fc
    .noBias(fc.array(one, { maxLength: 3, size: "max" }))
    .map((pairs) => Object.fromEntries(pairs));
}

/** The weight of the sessions of a rule of one's own, beside those of the five shapes. */
const SHARE_OF_OWN = 10;

const anyPause = "1ms|1s|59s|61s|3m|31m|1h|330m|1110m|24h|72h";

/** Up to so many parts in a row. A part is a word that comes as often as it stands there, or a scene. */
function inRow(
  most: number,
  words: string,
  sceneWeight: number,
  scenes: readonly Scene[],
): fc.Arbitrary<readonly Command[]> {
  const parts = wordsIn(words).map((word) => ({
    weight: 1,
    arbitrary: sceneOf(word.replace("pause", anyPause)),
  }));
  const part = fc.oneof(...parts, { weight: sceneWeight, arbitrary: fc.oneof(...scenes) });
  const all = fc.array(part, { minLength: 1, maxLength: most, size: "max" });
  return fc.noBias(all).map((some) => some.flat());
}

const clickScenes = eventScenes.slice(0, 6);
/** Three sessions of five end in one of these. */
const ending = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.oneof(...closingScenes) },
  { weight: 1, arbitrary: sceneOf("close") },
);

/** Views, clicks, figures, rounds of all that a page does, and everything mixed. `about`: the choices that matter there. */
const shapes = [
  {
    weight: 7,
    about: /^(?:dedup|limit|errors|response|ids|auth)/,
    parts: inRow(
      6,
      "view view view odd odd same same again again again pause flush any@some",
      4,
      eventScenes,
    ),
  },
  {
    weight: 4,
    about: /^click/,
    parts: inRow(
      6,
      "view view click click click same pause flush any@some (view click)",
      3,
      clickScenes,
    ),
  },
  {
    weight: 5,
    about: /^(?:date|stats|payout)/,
    parts: inRow(
      6,
      "stats stats period period period surfaces payouts payouts view pause pause",
      4,
      queryScenes,
    ),
  },
  {
    weight: 3,
    about: /./,
    parts: inRow(
      12,
      "view view view view odd click click click query query again pause pause flush (view click stats)",
      1,
      eventScenes,
    ),
  },
  {
    weight: 6,
    about: /^(?:dedup|limit|errors|click|auth)/,
    parts: fc
      .tuple(inRow(3, "view click query", 5, [...eventScenes, ...queryScenes]), ending)
      .map((all) => all.flat()),
  },
];

/** Few calls, and no fault that takes longer than two seconds. */
const inRealTime: (typeof shapes)[number] = {
  weight: SHARE_OF_OWN,
  about: /./,
  parts: inRow(
    5,
    "view view odd same again click click stats surfaces payouts flush brief@some (view click stats)",
    4,
    realTimeScenes,
  ),
};
