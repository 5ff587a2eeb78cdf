/** The options of a contract, checked before anything runs. */

import { environmentValue } from "../../adapters/environment.ts";
import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import type { CreateDriver } from "../driver/driver.ts";
import { checkGlobals, type TestWorldOptions, worldOptionNames } from "../driver/test-world.ts";
import { checkNames } from "../options.ts";
import { readRules } from "./check-rule.ts";
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
  /** Makes the client. It is called once for each run. */
  readonly driver: CreateDriver<Impression>;
  readonly describe: Describe;
  readonly it: It;
  /** The name of the group of tests. Contracts in one project need different names. @default "client contract" */
  readonly name?: string | undefined;
  /** Your own rules, tried after the others. @default none */
  readonly rules?: readonly Rule[] | undefined;
  /** Rules that don't apply to the client, each with the reason. @default none */
  readonly skip?: Readonly<Record<string, string>> | undefined;
  /** The only rules to try. @default all */
  readonly only?: readonly string[] | undefined;
  /** How many sequences each rule is tried with, 1 to 100,000. @default 50; 5 with the transport "http" */
  readonly runs?: number | undefined;
  /** The seed of the sequences: a whole number. @default 1 */
  readonly sequenceSeed?: number | undefined;
  /**
   * One sequence of one rule, in the form that a failure shows: `"RULE SEED PATH"`. The other rules are skipped.
   *
   * @default the environment variable ADSIM_REPLAY
   */
  readonly replay?: string | undefined;
  /** The directory for scenarios of failures; false to write none. @default "adsim-failures" */
  readonly failures?: string | false | undefined;
  /** The command that runs the tests. Failures show it for a replay. @default "npm test" */
  readonly command?: string | undefined;
  /** Called at the end with each rule's verdict. */
  readonly onReport?: ((report: ContractReport) => void) | undefined;
}

export interface Replay {
  readonly rule: string;
  readonly sequenceSeed: number;
  readonly path: string;
}

export const DEFAULT_NAME = "client contract";

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
  "driver",
  "describe",
  "it",
  "name",
  "rules",
  "skip",
  "only",
  "runs",
  "sequenceSeed",
  "replay",
  "failures",
  "command",
  "onReport",
];

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
  const { skip = {}, only, name = DEFAULT_NAME } = options;
  const world = readWorld(options);
  const rules = readRules(ours, options.rules, world.assumptions);
  const ids = rules.map(({ id }) => id);
  for (const [id, reason] of Object.entries(skip)) {
    checkId(`skip.${id}`, id, ids);
    if (typeof reason !== "string" || reason.trim() === "") {
      throw new InputError(
        `skip.${id}`,
        "must be the reason why the client needn't follow the rule",
      );
    }
  }
  if (only?.length === 0) throw new InputError("only", "must be a list of at least one rule");
  for (const [index, id] of (only ?? []).entries()) checkId(`only.${index}`, id, ids);
  const replay = readReplay(options.replay, ids);
  const { runs = world.transport === "http" ? 5 : 50, sequenceSeed = 1 } = options;
  const { failures = "adsim-failures", command = "npm test" } = options;
  return {
    name,
    rules,
    world,
    runs: replay === undefined ? runs : 1,
    sequenceSeed: replay?.sequenceSeed ?? sequenceSeed,
    replay,
    failures: failures === false ? undefined : failures,
    command,
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
