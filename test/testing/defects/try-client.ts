/** Tries rules of the contract on some changed copies of a client, and writes what came of each as a line of JSON. */

import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { rules } from "../../../src/testing/contract/rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver } from "../../../src/testing.ts";
import { type Change, importCopy } from "../../planted-modules.ts";

export interface ClientTrial {
  readonly number: number;
  readonly changes: readonly Change[];
  /** The module that makes the driver, from the root. */
  readonly path: string;
  /** The name that the module exports it under. */
  readonly driver: string;
  /** Id of the rule to try. @default all, until one is broken */
  readonly rule?: string | undefined;
}

/** A line of the output. */
export interface ClientTried {
  readonly number: number;
  /** The rule that is broken; otherwise the last one that was tried. */
  readonly rule: string;
  readonly kind: "held" | "skipped" | "unknown" | "broken" | "failed";
  readonly why: string;
}

/** As in the page's example. With the globals replaced the contract sees what a client does with the machine's clock. */
const options = { runs: 50, globals: "replaced" } as const;

async function tried(trial: ClientTrial): Promise<Omit<ClientTried, "number">> {
  const { number, changes, path, driver } = trial;
  const chosen = rules.filter(({ id }) => trial.rule === undefined || id === trial.rule);
  let last: Omit<ClientTried, "number"> = {
    rule: "",
    kind: "failed",
    why: "There is no such rule.",
  };
  for (const rule of chosen) {
    try {
      const loaded = (await importCopy(path, number, changes)) as Record<string, CreateDriver>;
      const createDriver = loaded[driver];
      if (createDriver === undefined) throw new Error(`${path} doesn't export ${driver}.`);
      const result = await tryRule(rule, createDriver, options);
      const why = result.kind === "broken" ? result.broken.message : "";
      last = { rule: rule.id, kind: result.kind, why };
    } catch (error) {
      last = { rule: rule.id, kind: "failed", why: String(error) };
    }
    if (last.kind === "broken" || last.kind === "failed") break;
  }
  return last;
}

// Looking for the shortest sequence would take as long again.
fc.configureGlobal({ endOnFailure: true });
for (const trial of JSON.parse(await text(stdin)) as readonly ClientTrial[]) {
  const line: ClientTried = { number: trial.number, ...(await tried(trial)) };
  stdout.write(`${JSON.stringify(line)}\n`);
}
