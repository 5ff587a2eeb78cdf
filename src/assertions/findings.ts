/** Checks that the client report has no findings. */

import * as v from "valibot";
import { type FindingId, findingIds } from "../audit/findings/finding.ts";
import { counted } from "../base/counted.ts";
import { parseInput } from "../base/input.ts";
import { type Check, check, readSim } from "./check.ts";
import { assertJournalWhole } from "./requests.ts";

export interface FindingOptions {
  /** Findings to allow. @default none */
  readonly except?: readonly FindingId[] | undefined;
}

const schema = v.strictObject({
  except: v.optional(
    v.array(v.picklist(findingIds, `must be one of ${findingIds.join(", ")}`)),
    [],
  ),
});

/** No findings except those in `except`. What can't be judged, such as pauses on a frozen clock, passes. @throws InputError */
export function hasNoFindings(given: unknown, options: FindingOptions = {}): Check {
  const sim = readSim(given);
  const { except } = parseInput(schema, options, "options");
  const { findings, notes, requests } = sim.report();
  const found = findings.filter(({ id }) => !except.includes(id));
  if (found.length === 0) assertJournalWhole(sim);
  const doubts = notes.map((note) => `Note: ${note}`);
  return check({
    pass: found.length === 0,
    expected: [],
    actual: found.map(({ id, count }) => ({ id, count })),
    describeFailure: () => [
      `Expected no finding in ${counted(requests, "request")}: there ${found.length === 1 ? "is 1" : `are ${found.length}`}.`,
      ...found.flatMap(({ id, title, count, example, explanation }) => [
        `${title} (${id}): ${count}`,
        `  ${example}`,
        `  ${explanation}`,
      ]),
      ...doubts,
      `To do: change the client, or allow these findings: { except: ${JSON.stringify(found.map(({ id }) => id))} }.`,
    ],
    describeSuccess: () => [
      `Expected a finding in ${counted(requests, "request")}: there is none.`,
      ...doubts,
    ],
  });
}
