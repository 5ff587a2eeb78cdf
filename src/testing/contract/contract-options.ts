/** The options of a contract, checked before anything runs. */

import * as v from "valibot";
import { environmentValue } from "../../adapters/environment.ts";
import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError, inField, parseInput } from "../../base/input.ts";
import { strictObject } from "../../base/schema-builders.ts";
import { wholeBetween } from "../../base/schemas.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { type CreateDriver, driverMethods } from "../driver/driver.ts";
import { promiseNames } from "../driver/promises.ts";
import { checkGlobals, type TestWorldOptions, worldOptionNames } from "../driver/test-world.ts";
import { checkNames } from "../options.ts";
import type { ContractReport } from "./report.ts";
import type { Rule } from "./rules/rule.ts";

/** A runner's `describe`: vitest's, Jest's, node:test's, mocha's. */
export type Describe = (name: string, define: () => void) => unknown;

/** A runner's `it`. Without `it.skip`, skipped rules are shown as passed tests whose names say so. */
export interface It {
  (name: string, test: () => Promise<void>, timeoutMs?: number): unknown;
  skip?(name: string, test: () => Promise<void>): unknown;
}

export interface ClientContractOptions<Impression = unknown> extends TestWorldOptions {
  /** Makes the client. It is called once for each session. */
  readonly driver: CreateDriver<Impression>;
  readonly describe: Describe;
  readonly it: It;
  /** The name of the group of tests. Contracts in one project need different names. @default "client contract" */
  readonly name?: string | undefined;
  /** Your own rules, tried with the others. @default none */
  readonly rules?: readonly Rule[] | undefined;
  /** Rules that don't apply to the client, each with the reason. @default none */
  readonly skip?: Readonly<Record<string, string>> | undefined;
  /** The only rules to try. @default all */
  readonly only?: readonly string[] | undefined;
  /** How many sessions the client is tried in, 1 to 1,000,000. @default 1500; 150 with the transport "http" */
  readonly runs?: number | undefined;
  /** The seed of the sessions: a whole number. @default 1 */
  readonly sequenceSeed?: number | undefined;
  /**
   * One session for one rule, in the form that a failure shows: `"RULE SEED PATH"`. The other rules are skipped.
   *
   * @default the environment variable ADSIM_REPLAY
   */
  readonly replay?: string | undefined;
  /** The directory for scenarios of failures; false to write none. @default "adsim-failures" */
  readonly failures?: string | false | undefined;
  /** The command that runs the tests. Failures show it for a replay. @default "npm test" */
  readonly command?: string | undefined;
  /** Called at the end with each rule's result. */
  readonly onReport?: ((report: ContractReport) => void) | undefined;
}

export interface Replay {
  readonly rule: string;
  readonly sequenceSeed: number;
  readonly path: string;
}

export const DEFAULT_NAME = "client contract";
const DEFAULT_RUNS = 1500;

/** The options with defaults filled in. */
export interface ContractSettings {
  readonly name: string;
  /** All of them, with those that are skipped. */
  readonly rules: readonly Rule[];
  readonly world: TestWorldOptions;
  readonly runs: number;
  readonly sequenceSeed: number;
  readonly replay: Replay | undefined;
  readonly failures: string | undefined;
  readonly command: string;
  /** Why a rule isn't tried; undefined if it is. */
  skipReason(rule: Rule): string | undefined;
}

const optionNames: readonly (keyof ClientContractOptions)[] = [
  ...worldOptionNames,
  ...(["driver", "describe", "it", "name", "rules", "skip", "only", "runs"] as const),
  ...(["sequenceSeed", "replay", "failures", "command", "onReport"] as const),
];

const numbers = strictObject({
  runs: v.optional(wholeBetween(1, 1_000_000)),
  sequenceSeed: v.optional(wholeBetween(-0x8000_0000, 0x7fff_ffff)),
});

/**
 * @param ours The rules besides the user's own.
 * @throws InputError that names the invalid option.
 */
export function readContract<Impression>(
  ours: readonly Rule[],
  options: ClientContractOptions<Impression>,
): ContractSettings {
  checkNames(options, optionNames);
  for (const name of ["driver", "describe", "it"] as const) {
    if (typeof options[name] !== "function") throw new InputError(name, "must be a function");
  }
  parseInput(numbers, { runs: options.runs, sequenceSeed: options.sequenceSeed });
  const { skip = {}, only, name = DEFAULT_NAME } = options;
  const world = readWorld(options);
  const rules = [...ours, ...readRules(ours, options.rules)];
  const ids = rules.map(({ id }) => id);
  for (const [id, reason] of Object.entries(skip)) {
    checkId(`skip.${id}`, id, ids);
    if (typeof reason !== "string" || reason.trim() === "")
      throw new InputError(
        `skip.${id}`,
        "must be the reason why the client needn't follow the rule",
      );
  }
  if (only?.length === 0) throw new InputError("only", "must be a list of at least one rule");
  for (const [index, id] of (only ?? []).entries()) checkId(`only.${index}`, id, ids);
  const replay = readReplay(options.replay, ids);
  const { runs = world.transport === "http" ? DEFAULT_RUNS / 10 : DEFAULT_RUNS } = options;
  const { failures = "adsim-failures", command = "npm test", sequenceSeed = 1 } = options;
  return {
    ...{ name, rules, world, replay, command },
    runs: replay === undefined ? runs : 1,
    sequenceSeed: replay?.sequenceSeed ?? sequenceSeed,
    failures: failures === false ? undefined : failures,
    skipReason({ id }) {
      if (replay !== undefined)
        return replay.rule === id ? undefined : `only ${replay.rule} is replayed`;
      if (skip[id] !== undefined) return skip[id];
      return only === undefined || only.includes(id) ? undefined : "only leaves it out";
    },
  };
}

function readWorld(options: TestWorldOptions): TestWorldOptions {
  const { seed, start, publishers, profile, assumptions } = options;
  resolveOptions({ seed, start, publishers, profile, assumptions });
  checkGlobals(options);
  const { transport, globals, timeZone, patienceMs } = options;
  const connection = { transport, globals, timeZone, patienceMs };
  return { seed, start, publishers, profile, assumptions, ...connection };
}

function checkId(field: string, id: unknown, ids: readonly string[]): void {
  if (typeof id !== "string") throw new InputError(field, "must be the id of a rule");
  if (ids.includes(id)) return;
  const hint = didYouMean(id, ids) || ` Choose from: ${ids.join(", ")}`;
  throw new InputError(field, `must name a rule of the contract.${hint}`);
}

const FORM = /^\s*(\S+) (-?\d{1,10}) (\d+(?::\d+)*)\s*$/;

function readReplay(given: string | undefined, ids: readonly string[]): Replay | undefined {
  const field = given === undefined ? "ADSIM_REPLAY" : "replay";
  const text = given ?? environmentValue(field);
  if (text === undefined) return undefined;
  const [, rule = "", seed = "", path = ""] = FORM.exec(text) ?? [];
  if (rule === "") {
    const example = `"${ids[0] ?? "RULE"} 1 0:1"`;
    throw new InputError(
      field,
      `must be the RULE SEED PATH that a failure shows, such as ${example}`,
    );
  }
  checkId(field, rule, ids);
  return { rule, sequenceSeed: Number(seed), path };
}

const members: readonly string[] = [...driverMethods, ...promiseNames, "virtualTime"];

const line = v.custom(
  (text) => typeof text === "string" && /^.*\S.*$/.test(text),
  "must be a sentence on one line",
);
const ruleSchema = strictObject({
  id: v.custom(
    (id) => typeof id === "string" && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id),
    'must be lower-case words with hyphens, such as "clicks-come-late"',
  ),
  says: line,
  source: line,
  // A rule that needs a member that no driver has would always be skipped.
  needs: v.optional(
    v.array(
      v.picklist(members, `must be one of ${formatList(members, "or")}`),
      "must be a list of members of the driver",
    ),
  ),
  judge: v.function("must be a function that judges a session"),
  commands: v.optional(
    v.custom(isArbitrary, "must be a fast-check arbitrary of lists of commands"),
  ),
} satisfies Readonly<Record<keyof Rule, v.GenericSchema>>);

/** A project may have several copies of fast-check, so `instanceof` doesn't tell. */
function isArbitrary(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return ["generate", "shrink", "canShrinkWithoutContext"].every((name) => name in value);
}

/** @throws InputError that names the invalid member of a rule. */
function readRules(ours: readonly Rule[], given: readonly Rule[] = []): readonly Rule[] {
  if (!Array.isArray(given)) throw new InputError("rules", "must be a list of rules");
  const known = ours.map(({ id }) => id);
  for (const [index, rule] of given.entries()) {
    inField(`rules.${index}`, () => {
      if (typeof rule !== "object" || rule === null) throw new InputError("", "must be a rule");
      parseInput(ruleSchema, rule);
      if (known.includes(rule.id))
        throw new InputError("id", `must be unique: there is another rule ${rule.id}`);
      known.push(rule.id);
    });
  }
  return given;
}
