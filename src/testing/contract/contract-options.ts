/** What a contract is made from, checked before anything runs. */

import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError, isPlainObject } from "../../base/input.ts";
import { readOptions } from "../../simulator/simulator-options.ts";
import type { CreateDriver } from "../driver/driver.ts";
import { checkPatience, type TestWorldOptions, worldOptions } from "../driver/test-world.ts";
import { checkNames } from "../known-options.ts";
import { environmentValue } from "../machine/environment.ts";
import type { ContractReport } from "./report.ts";
import type { Rule } from "./rule.ts";

/** A runner's `describe`: vitest's, Jest's, node:test's, mocha's. */
export type Describe = (name: string, define: () => void) => unknown;

/** A runner's `it`. What `it.skip` is for, an `it` with a name that says so does where there is none. */
export interface It {
  (name: string, test: () => Promise<void>, timeoutMs?: number): unknown;
  skip?(name: string, test: () => Promise<void>): unknown;
}

export interface ClientContractOptions<Impression = unknown>
  extends Omit<TestWorldOptions, "scheduler"> {
  /** Makes the client. It is called once for each run. */
  readonly driver: CreateDriver<Impression>;
  readonly describe: Describe;
  readonly it: It;
  /** What the tests stand under. @default "client contract" */
  readonly name?: string | undefined;
  /** Rules that the client needn't keep, each with the reason. @default none */
  readonly skip?: Readonly<Record<string, string>> | undefined;
  /** The only rules that are tried. @default all */
  readonly only?: readonly string[] | undefined;
  /** How many sequences each rule is tried with, 1 to 100,000. @default 50; 5 with the transport "http" */
  readonly runs?: number | undefined;
  /** What the sequences are drawn from, a whole number. @default 1 */
  readonly sequenceSeed?: number | undefined;
  /**
   * One sequence of one rule, as a failure names it: `"RULE SEED PATH"`. The other rules are skipped.
   *
   * @default the environment variable ADSIM_REPLAY
   */
  readonly replay?: string | undefined;
  /** The directory that scenarios of failures are written to; false: none are. @default "adsim-failures" */
  readonly failures?: string | false | undefined;
  /** What runs the tests, for the line that shows a failure again. @default "npm test" */
  readonly command?: string | undefined;
  /** Told in the end what came of each rule. */
  readonly onReport?: ((report: ContractReport) => void) | undefined;
}

export interface Replay {
  readonly rule: string;
  readonly sequenceSeed: number;
  readonly path: string;
}

/** Options as a contract goes by them. */
export interface ReadContract {
  readonly name: string;
  readonly world: TestWorldOptions;
  readonly runs: number;
  readonly sequenceSeed: number;
  readonly replay: Replay | undefined;
  readonly failures: string | undefined;
  readonly command: string;
  /** Why a rule isn't tried; undefined where it is. */
  whyNot(rule: Rule): string | undefined;
}

const MOST_RUNS = 100_000;

const { scheduler: _, ...ofWorld } = worldOptions;
const contractOptions: Readonly<Record<keyof ClientContractOptions, true>> = {
  ...ofWorld,
  driver: true,
  describe: true,
  it: true,
  name: true,
  skip: true,
  only: true,
  runs: true,
  sequenceSeed: true,
  replay: true,
  failures: true,
  command: true,
  onReport: true,
};

/** @throws InputError that names the option at fault. */
export function readContract<Impression>(
  rules: readonly Rule[],
  options: ClientContractOptions<Impression>,
): ReadContract {
  checkNames(options, contractOptions);
  const { describe, it, driver, skip = {}, only, name = "client contract", onReport } = options;
  for (const [field, value] of Object.entries({ describe, it, driver })) {
    if (typeof value !== "function") throw new InputError(field, whatIs[field] ?? "");
  }
  const ids = rules.map(({ id }) => id);
  if (!isPlainObject(skip)) {
    throw new InputError("skip", "must be an object of rules and reasons");
  }
  for (const [id, reason] of Object.entries(skip)) {
    checkId(`skip.${id}`, id, ids);
    if (typeof reason !== "string" || reason.trim() === "") {
      throw new InputError(`skip.${id}`, "must be the reason why the client needn't keep the rule");
    }
  }
  if (only !== undefined && (!Array.isArray(only) || only.length === 0)) {
    throw new InputError("only", "must be a list of rules, one at least");
  }
  only?.forEach((id, index) => {
    checkId(`only.${index}`, id, ids);
  });
  if (onReport !== undefined && typeof onReport !== "function") {
    throw new InputError("onReport", "must be a function");
  }
  const replay = readReplay(options.replay, ids);
  const world = readWorld(options);
  const runs = options.runs ?? (world.transport === "http" ? 5 : 50);
  if (!Number.isSafeInteger(runs) || runs < 1 || runs > MOST_RUNS) {
    throw new InputError("runs", `must be a whole number from 1 to ${MOST_RUNS}`);
  }
  const { sequenceSeed = 1, failures = "adsim-failures", command = "npm test" } = options;
  if (!Number.isInteger(sequenceSeed) || Math.abs(sequenceSeed) > 0x7fff_ffff) {
    throw new InputError("sequenceSeed", "must be a whole number of at most 31 bits");
  }
  if (failures !== false && (typeof failures !== "string" || failures === "")) {
    throw new InputError("failures", "must be a directory, or false");
  }
  return {
    name,
    world,
    runs: replay === undefined ? runs : 1,
    sequenceSeed: replay?.sequenceSeed ?? sequenceSeed,
    replay,
    failures: failures === false ? undefined : failures,
    command,
    whyNot({ id }) {
      if (replay !== undefined)
        return replay.rule === id ? undefined : `${replay.rule} is replayed`;
      if (skip[id] !== undefined) return skip[id];
      return only === undefined || only.includes(id) ? undefined : "it is not one of only";
    },
  };
}

const whatIs: Readonly<Record<string, string>> = {
  describe: "must be the test runner's describe",
  it: "must be the test runner's it, or test",
  driver: "must be a function that makes a driver of the client",
};

function readWorld(options: Omit<TestWorldOptions, "scheduler">): TestWorldOptions {
  const { seed, start, publishers, profile, assumptions, transport, globals, patienceMs } = options;
  readOptions({ seed, start, publishers, profile, assumptions });
  if (![undefined, "fetch", "http"].includes(transport)) {
    throw new InputError("transport", 'must be "fetch" or "http"');
  }
  if (![undefined, "kept", "replaced"].includes(globals)) {
    throw new InputError("globals", 'must be "kept" or "replaced"');
  }
  if (transport === "http" && globals === "replaced") {
    throw new InputError("globals", 'can\'t be replaced with transport "http": there time is real');
  }
  checkPatience(patienceMs);
  return { seed, start, publishers, profile, assumptions, transport, globals, patienceMs };
}

function checkId(field: string, id: unknown, ids: readonly string[]): void {
  if (typeof id !== "string") throw new InputError(field, "must be the id of a rule");
  if (ids.includes(id)) return;
  const hint = didYouMean(id, ids) || ` There is: ${ids.join(", ")}`;
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
