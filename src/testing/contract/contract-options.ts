/** The options of a contract, checked before anything runs, and its report. */

import * as v from "valibot";
import { environmentValue } from "../../adapters/environment.ts";
import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError, parseInput } from "../../base/input.ts";
import { strictObject, wholeBetween } from "../../base/schemas.ts";
import { resolveOptions } from "../../simulator/simulator-options.ts";
import { type CreateDriver, driverMethods, promiseNames } from "../driver/driver.ts";
import { checkConnection, type TestWorldOptions, worldOptionNames } from "../driver/test-world.ts";
import { checkNames } from "../options.ts";
import type { Rule } from "./rules/rule.ts";
import { rules as ours } from "./rules.ts";

/** A runner's `it`. Without `it.skip`, skipped rules are shown as passed tests whose names say so. */
export interface It {
  (name: string, test: () => Promise<void>, timeoutMs?: number): unknown;
  skip?(name: string, test: () => Promise<void>): unknown;
}

export interface ClientContractOptions<Impression = unknown> extends TestWorldOptions {
  /** Makes the client. It is called once for each session. */
  readonly driver: CreateDriver<Impression>;
  /** The runner's: vitest's, Jest's, node:test's, mocha's. So is `it`. */
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: It;
  /** The name of the group of tests. Contracts in one project need different names. @default "client contract" */
  readonly name?: string | undefined;
  /** Your own rules, tried with the others. @default none */
  readonly rules?: readonly Rule[] | undefined;
  /** Rules that don't apply to the client, each with the reason. @default none */
  readonly skip?: Readonly<Record<string, string>> | undefined;
  /** The only rules to try. @default all */
  readonly only?: readonly string[] | undefined;
  /** How many sessions the client is tried in, 1 to 100,000. @default 1500; 150 with the transport "http" */
  readonly runs?: number | undefined;
  /** The seed of the sessions: a whole number. @default 1 */
  readonly sequenceSeed?: number | undefined;
  /** The folder for scenarios and traces of failures; false to write none. @default "adsim-failures" */
  readonly failures?: string | false | undefined;
  /** Called at the end with each rule's result. */
  readonly onReport?: ((report: ContractReport) => void) | undefined;
}

export interface ContractReport {
  readonly name: string;
  /** In the order of the contract. */
  readonly rules: readonly RuleResult[];
}

export interface RuleResult extends Pick<Rule, "id" | "says" | "source"> {
  /** Undecided: nothing in the sessions concerned it, or its test didn't come to an end. */
  readonly result: "passed" | "failed" | "undecided" | "skipped";
  /** What was expected, and what was found instead; or why it is undecided or skipped. */
  readonly why?: string | undefined;
  /** If it failed: the value of ADSIM_REPLAY that replays it. */
  readonly replay?: string | undefined;
  /** If it failed: the scenario's file, if one was written. */
  readonly file?: string | undefined;
}

export const DEFAULT_NAME = "client contract";
const DEFAULT_RUNS = 1500;

/** The options with defaults filled in. */
export type ContractSettings = ReturnType<typeof readContract>;

/** A project may have several copies of fast-check, so `instanceof` doesn't tell. */
const arbitrary = v.looseObject({ generate: v.function(), shrink: v.function() });
const line = v.pipe(v.string(), v.regex(/^.*\S.*$/, "must be a sentence on one line"));
const rule = strictObject({
  id: v.pipe(
    v.string(),
    v.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "must be lower-case words with hyphens"),
  ),
  ...{ says: line, source: line },
  // A rule that needs a member that no driver has would always be skipped.
  needs: v.optional(v.array(v.picklist([...driverMethods, ...promiseNames, "virtualTime"]))),
  judge: v.function("must be a function that judges a session"),
  commands: v.optional(arbitrary),
} satisfies Readonly<Record<keyof Rule, v.GenericSchema>>);

const toCall = v.function("must be a function");
const reason = v.pipe(
  v.string(),
  v.regex(/\S/, "must be the reason why the client needn't follow the rule"),
);
const required = { driver: undefined, describe: undefined, it: undefined };
const ownEntries = {
  ...{ driver: toCall, describe: toCall, it: toCall, onReport: v.optional(toCall) },
  name: v.optional(v.string()),
  rules: v.optional(v.array(rule)),
  skip: v.optional(v.record(v.string(), reason)),
  only: v.optional(v.pipe(v.array(v.string()), v.minLength(1, "must not be an empty list"))),
  runs: v.optional(wholeBetween(1, 100_000)),
  sequenceSeed: v.optional(wholeBetween(-0x8000_0000, 0x7fff_ffff)),
  failures: v.optional(v.union([v.string(), v.literal(false)])),
} satisfies Readonly<
  Record<Exclude<keyof ClientContractOptions, keyof TestWorldOptions>, v.GenericSchema>
>;

/** @throws InputError that names the invalid option, or ADSIM_REPLAY. */
export function readContract(options: ClientContractOptions) {
  checkNames(options, [...worldOptionNames, ...Object.keys(ownEntries)]);
  parseInput(v.object(ownEntries), { ...required, ...options });
  const { skip = {}, only, name = DEFAULT_NAME, failures = "adsim-failures" } = options;
  const { seed, start, publishers, profile, assumptions } = options;
  const { transport, globals, timeZone, patienceMs } = options;
  const service = { seed, start, publishers, profile, assumptions };
  resolveOptions(service);
  checkConnection(options);
  const world: TestWorldOptions = { ...service, transport, globals, timeZone, patienceMs };
  const rules = [...ours, ...(options.rules ?? [])];
  const ids = rules.map(({ id }) => id);
  const twice = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (twice >= 0) throw new InputError(`rules.${twice - ours.length}.id`, "must be unique");
  for (const id of Object.keys(skip)) checkId(`skip.${id}`, id, ids);
  for (const [index, id] of (only ?? []).entries()) checkId(`only.${index}`, id, ids);
  const replay = replayOf();
  // Another contract may have a rule that this one hasn't.
  if (replay !== undefined && didYouMean(replay.rule, ids) !== "")
    checkId("ADSIM_REPLAY", replay.rule, ids);
  const { runs = transport === "http" ? DEFAULT_RUNS / 10 : DEFAULT_RUNS } = options;
  return {
    ...{ name, replay },
    /** All of them, with those that are skipped. */
    rules,
    world,
    runs: replay === undefined ? runs : 1,
    sequenceSeed: replay?.sequenceSeed ?? options.sequenceSeed ?? 1,
    failures: failures === false ? undefined : failures,
    /** Why a rule isn't tried; undefined if it is. */
    skipReason({ id }: Rule): string | undefined {
      if (replay !== undefined)
        return replay.rule === id ? undefined : `only ${replay.rule} is replayed`;
      if (Object.hasOwn(skip, id)) return skip[id];
      return only === undefined || only.includes(id) ? undefined : "only leaves it out";
    },
  };
}

function checkId(field: string, id: string, ids: readonly string[]): void {
  if (ids.includes(id)) return;
  const hint = didYouMean(id, ids) || ` Choose from: ${ids.join(", ")}`;
  throw new InputError(field, `must name a rule of the contract.${hint}`);
}

const FORM = /^\s*(\S+) (-?\d{1,10}) (\d{1,6}(?::\d{1,6})*)\s*$/;

/** The one session to run, for one rule. */
function replayOf() {
  const text = environmentValue("ADSIM_REPLAY");
  if (text === undefined) return undefined;
  const [, rule = "", seed = "", path = ""] = FORM.exec(text) ?? [];
  if (rule === "")
    throw new InputError(
      "ADSIM_REPLAY",
      'must be the RULE SEED PATH that a failure shows, such as "once 1 0:1"',
    );
  return { rule, sequenceSeed: Number(seed), path };
}
