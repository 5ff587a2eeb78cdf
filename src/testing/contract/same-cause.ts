/** Finds out whether a defect has probably broken another rule before, so that a contract describes it only once. */

import fc from "fast-check";
import type { Assumptions } from "../../spec/assumptions/catalogue.ts";
import { type Command, isOfClient } from "../session/command.ts";
import type { Session } from "../session/session.ts";
import { BrokenRule, type Rule } from "./rules/rule.ts";
import { type BrokenTrial, judged } from "./try-rule.ts";

/** A rule, and the shortest sequence found that breaks it. */
export interface Breach extends Pick<BrokenTrial, "commands" | "assumptions" | "session"> {
  readonly rule: Rule;
}

export interface SameCause {
  /** The id of the other rule. */
  readonly rule: string;
  /** Why that is probably the same cause, in a sentence. */
  readonly why: string;
}

/** Runs a sequence under these choices; undefined if that takes too long. */
type Run = (commands: readonly Command[], assumptions: Assumptions) => Promise<Session> | undefined;

/**
 * The first of these broken rules that probably has the same cause; undefined if there is none. Two rules have the same
 * cause if the shortest sequence that breaks one of them breaks the other, too. But if one rule comes up and holds in the
 * other's sequence, they are taken for two defects.
 */
export async function sameCauseOf(
  broken: Breach,
  before: Iterable<Breach>,
  run: Run,
): Promise<SameCause | undefined> {
  const { id } = broken.rule;
  for (const other of before) {
    const rule = other.rule.id;
    if (rule === id) continue;
    const here = await verdictOn(other, broken, run);
    const there = here === "held" ? "unknown" : await verdictOn(broken, other, run);
    if (here === "broken" && there !== "held")
      return { rule, why: `The shortest sequence that breaks ${rule} breaks this rule, too.` };
    if (there === "broken")
      return { rule, why: `The shortest sequence that breaks this rule breaks ${rule}, too.` };
  }
  return undefined;
}

/** The verdict of the second rule on the first one's sequence, under the choices for which the second is known to break. */
async function verdictOn(
  { commands, session, ...first }: Breach,
  { rule, assumptions }: Breach,
  run: Run,
): Promise<"broken" | "held" | "unknown"> {
  // A judge isn't made for faults, limits and pauses that never occur in its own rule's sequences.
  const own = new Set(
    fc.sample(rule.commands(assumptions), { numRuns: 50, seed: 1 }).flatMap(kindsIn),
  );
  if (!kindsIn(commands).every((kind) => own.has(kind))) return "unknown";
  const isSame = Object.entries(assumptions).every(
    ([key, choice]) => Reflect.get(first.assumptions, key) === choice,
  );
  try {
    const played = isSame ? session : await run(commands, assumptions);
    return played !== undefined && judged(rule, played) > 0 ? "held" : "unknown";
  } catch (error) {
    return error instanceof BrokenRule ? "broken" : "unknown";
  }
}

/** The kinds of the commands to the world. */
function kindsIn(commands: readonly Command[]): string[] {
  return commands.flatMap(({ kind }) =>
    kind === "together" || isOfClient({ kind }) ? [] : [kind],
  );
}
