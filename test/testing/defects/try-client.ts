/** Tries a rule of the contract on each of some copies of the reference client, and writes what came of each as a line of JSON. */

import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";
import { rules } from "../../../src/testing/contract/rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import type { CreateDriver } from "../../../src/testing.ts";
import { type Change, importCopy } from "../../planted-modules.ts";

export interface ClientTrial {
  readonly number: number;
  readonly change: Change;
  /** Its id. */
  readonly rule: string;
}

/** A line of the output. */
export interface ClientTried {
  readonly number: number;
  readonly rule: string;
  readonly kind: "held" | "unknown" | "broken" | "failed";
  readonly why: string;
  /** How many commands the sequence has that broke it, shrunk. */
  readonly commands: number;
}

async function tried({
  number,
  change,
  rule: id,
}: ClientTrial): Promise<Pick<ClientTried, "kind" | "why" | "commands">> {
  const rule = rules.find((one) => one.id === id);
  if (rule === undefined) return { kind: "failed", why: "There is no such rule.", commands: 0 };
  try {
    const loaded = await importCopy("test/client/reference-driver.ts", number, [change]);
    const { createReferenceDriver } = loaded as { createReferenceDriver: CreateDriver };
    const result = await tryRule(rule, createReferenceDriver, { runs: 50 });
    if (result.kind !== "broken") return { kind: result.kind, why: "", commands: 0 };
    const { broken, commands } = result;
    return { kind: "broken", why: broken.message, commands: commands.length };
  } catch (error) {
    return { kind: "failed", why: String(error), commands: 0 };
  }
}

for (const trial of JSON.parse(await text(stdin)) as readonly ClientTrial[]) {
  const { number, rule } = trial;
  const line: ClientTried = { number, rule, ...(await tried(trial)) };
  stdout.write(`${JSON.stringify(line)}\n`);
}
