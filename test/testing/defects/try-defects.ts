/**
 * Hunts defects that are planted into the simulator, and writes what came of each as a line of JSON. The oracle, the laws
 * and the commands that look for a defect are loaded anew beside it.
 */

import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";
import { runsOf } from "../../budget.ts";
import { type Change, importCopy } from "../../planted-modules.ts";
import type { Found } from "./hunt.ts";
import { topics as allTopics, type TopicName } from "./topics.ts";

/** Without a change it is the simulator as it is. */
export interface Trial {
  readonly number: number;
  readonly change: Change | undefined;
  readonly topics: readonly TopicName[];
}

/** A line of the output. `failed`: why it couldn't be tried. */
export interface TrialResult {
  readonly number: number;
  readonly found: readonly Found[];
  readonly failed: string | undefined;
  readonly cpuMs: number;
}

async function trial({ number, change, topics }: Trial): Promise<readonly Found[]> {
  const changes = change === undefined ? [] : [change];
  const { hunt } = (await importCopy("test/testing/defects/hunt.ts", number, changes)) as {
    hunt: (topic: TopicName, sequences: number) => Found;
  };
  return topics.map((topic) => {
    const { sequences } = allTopics[topic];
    return hunt(topic, change === undefined ? runsOf(sequences) : sequences);
  });
}

for (const one of JSON.parse(await text(stdin)) as readonly Trial[]) {
  const before = process.cpuUsage();
  let found: readonly Found[] = [];
  let failed: string | undefined;
  try {
    found = await trial(one);
  } catch (error) {
    failed = String(error);
  }
  const { user, system } = process.cpuUsage(before);
  const cpuMs = Math.round((user + system) / 1000);
  stdout.write(
    `${JSON.stringify({ number: one.number, found, failed, cpuMs } satisfies TrialResult)}\n`,
  );
}
