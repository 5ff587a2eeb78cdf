/** Tries rules of the contract on some changed copies of a client, and writes what came of each as a line of JSON. */

import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { rules } from "../../../src/testing/contract/rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver, TestWorldOptions } from "../../../src/testing.ts";
import { type Change, importCopy } from "../../planted-modules.ts";

export interface ClientTrial {
  readonly number: number;
  readonly changes: readonly Change[];
  /** The module that makes the driver, from the root. */
  readonly path: string;
  /** The name that the module exports it under. */
  readonly driver: string;
  /** Ids of the rules to try, in this order, until one is broken. @default all */
  readonly rules?: readonly string[] | undefined;
  /** How many sequences each is tried with. @default as tryRule */
  readonly runs?: number | undefined;
  readonly globals?: TestWorldOptions["globals"];
  /** Whether to look for the shortest sequence that breaks the rule, which takes as long again. @default true */
  readonly shrinks?: boolean;
}

/** A line of the output. */
export interface ClientTried {
  readonly number: number;
  /** The rule that is broken; otherwise the last one that was tried. */
  readonly rule: string;
  readonly kind: "held" | "skipped" | "unknown" | "broken" | "failed";
  readonly why: string;
  /** How many commands the sequence has that broke it. */
  readonly commands: number;
}

type Tried = Omit<ClientTried, "number">;

async function tried({ number, changes, path, driver, ...trial }: ClientTrial): Promise<Tried> {
  const { runs, globals, shrinks = true } = trial;
  fc.configureGlobal({ endOnFailure: !shrinks });
  const ids = trial.rules ?? rules.map(({ id }) => id);
  let last: Tried = { rule: "", kind: "failed", why: "There is no rule to try.", commands: 0 };
  for (const id of ids) {
    const failed = (why: string): Tried => ({ rule: id, kind: "failed", why, commands: 0 });
    const rule = rules.find((one) => one.id === id);
    if (rule === undefined) return failed("There is no such rule.");
    try {
      const loaded = (await importCopy(path, number, changes)) as Record<string, CreateDriver>;
      const createDriver = loaded[driver];
      if (createDriver === undefined) return failed(`${path} doesn't export ${driver}.`);
      const result = await tryRule(rule, createDriver, { runs, globals });
      if (result.kind === "broken") {
        const { broken, commands } = result;
        return { rule: id, kind: "broken", why: broken.message, commands: commands.length };
      }
      last = { rule: id, kind: result.kind, why: "", commands: 0 };
    } catch (error) {
      return failed(String(error));
    }
  }
  return last;
}

for (const trial of JSON.parse(await text(stdin)) as readonly ClientTrial[]) {
  const line: ClientTried = { number: trial.number, ...(await tried(trial)) };
  stdout.write(`${JSON.stringify(line)}\n`);
}
