/** What a command is, and the kinds of options. An option says what stands in help, and reads its value, or gives undefined. */

import type { HostProcess } from "../processes/host-process.ts";

export interface Option<Value = unknown> {
  /** What stands for the value in help. A flag has none. */
  readonly takes?: string;
  readonly says: string;
  /** What a value must be, in words that follow the option's name. */
  readonly must?: string;
  read(text: string, before: Value | undefined): Value | undefined;
  /** The option to whose value it adds. */
  readonly into?: string;
  /** Its value can be left out if the next argument isn't one of these. */
  readonly mayFollow?: readonly string[];
  /** The environment variable that can give it, too. */
  readonly variable?: string;
  /** Whether lines to paste show it as `…`. */
  readonly isSecret?: boolean;
  readonly isNeeded?: boolean;
  readonly usual?: Value;
}

/** By their names in camel case: `maxWorlds` is `--max-worlds`. */
export type Options = Readonly<Record<string, Option>>;

type ValueOf<One> = One extends Option<infer Value> ? Value : never;
/** An option that every command line gives, or that has a default. */
type Always<Value> = Option<Value> & { readonly isAlways: true };
type AlwaysIn<All> = {
  [Name in keyof All]: All[Name] extends { readonly isAlways: true } ? Name : never;
}[keyof All];

/** What is parsed of a command line with these options. */
export type FlagsOf<All> = {
  readonly [Name in Exclude<keyof All, AlwaysIn<All>>]?: ValueOf<All[Name]>;
} & { readonly [Name in AlwaysIn<All>]: ValueOf<All[Name]> };

export function needed<Value>(option: Option<Value>): Always<Value> {
  return { ...option, isNeeded: true, isAlways: true };
}

export function usually<Value>(usual: Value, option: Option<Value>): Always<Value> {
  return { ...option, usual, isAlways: true };
}

export function flag(says: string): Option<boolean> {
  return { says, read: () => true };
}

/** An empty text usually comes from a variable that isn't set. */
export function text(takes: string, says: string): Option<string> {
  return { takes, says, must: "must not be empty", read: (given) => given || undefined };
}

export function oneOf<Name extends string>(
  takes: string,
  names: readonly Name[],
  says: string,
): Option<Name> {
  const all = names.join(", ");
  const read = (given: string): Name | undefined => names.find((name) => name === given);
  return { takes, says: `${says}: ${all}`, must: `must be one of ${all}`, read };
}

export function wholeNumber(says: string, least = 0, most?: number): Option<number> {
  const range =
    most === undefined ? (least === 0 ? "" : ` from ${least}`) : ` from ${least} to ${most}`;
  return {
    takes: "<number>",
    says,
    must: `must be a whole number${range}`,
    read(given) {
      const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
      return value >= least && value <= (most ?? value) ? value : undefined;
    },
  };
}

/** Can be repeated. */
export function list(takes: string, says: string): Option<readonly string[]> {
  return {
    ...{ takes, says: `${says}; repeatable`, must: "must not be empty" },
    read: (given, before = []) => (given === "" ? undefined : [...before, given]),
  };
}

/** The arguments that aren't options. */
export interface Words {
  readonly name: string;
  /** What they are, in words that follow "Give". */
  readonly says: string;
  /** `command`: all that follows is a command line of its own. */
  readonly kind: "one" | "several" | "command";
  readonly isOptional?: boolean;
}

/** A command as it was called. */
export interface Call<Flags> {
  readonly words: readonly string[];
  readonly flags: Flags;
  /** These options as they were given, with keys replaced. */
  readonly given: (names: readonly string[]) => readonly string[];
  readonly host: HostProcess;
}

export interface Command {
  readonly name: string;
  /** A line for the list. */
  readonly says: string;
  readonly words?: Words | undefined;
  readonly options: Options;
  /** What the help ends with. */
  readonly more?: string | undefined;
  /** @returns the exit code if that isn't 0, or a text to print. @throws CommandFailure, InputError */
  readonly run: (call: Call<never>) => Promise<unknown>;
}

/** Gives `run` the type of flags that follows from the options. */
export function command<All extends Options>(
  row: Omit<Command, "run" | "options"> & {
    readonly options: All;
    readonly run: (call: Call<FlagsOf<All>>) => Promise<unknown>;
  },
): Command {
  return row;
}
