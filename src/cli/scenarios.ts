/** `adsim scenarios [NAME]`: lists the scenarios that come with adsim, or prints one as JSON to copy. */

import { shippedNames } from "../adapters/shipped-scenarios.ts";
import { formatList } from "../base/did-you-mean.ts";
import { indentedJson } from "../base/text.ts";
import { readableDuration } from "../play/measure/quantities.ts";
import { parseScenario } from "../play/scenario/parse-scenario.ts";
import { planAtService } from "../play/targets/service-plan.ts";
import { loadShipped } from "./play/load-scenario.ts";
import type { HostProcess } from "./processes/host-process.ts";

export interface ScenariosFlags {
  readonly json?: boolean;
  readonly playable?: boolean;
}

/** @throws CommandFailure for an unknown NAME. */
export function scenarios(
  name: string | undefined,
  { json, playable }: ScenariosFlags,
  { stdout }: HostProcess,
): void {
  if (name !== undefined) {
    stdout.write(indentedJson(loadShipped(name)));
    return;
  }
  const all = shippedNames().map((each) =>
    playable === true ? { ...each, atService: atService(each.name) } : each,
  );
  if (json === true) {
    stdout.write(indentedJson({ scenarios: all }));
    return;
  }
  const width = Math.max(0, ...all.map((each) => each.name.length));
  const lines = all.map((each) => {
    const text = "atService" in each ? inWords(each.atService) : firstSentence(each.about);
    return `${each.name.padEnd(width)}  ${text}`;
  });
  stdout.write(`${lines.join("\n")}\n`);
}

/** How a scenario can be played at a service that isn't adsim. */
interface AtService {
  readonly isPlayable: boolean;
  /** What only an adsim has. */
  readonly needs: readonly string[];
  readonly publishers: number;
  /** In real time, beside the requests. */
  readonly waitsMs: number;
}

function atService(name: string): AtService {
  const { impossible, totalMs, publishers } = planAtService(parseScenario(loadShipped(name)), {});
  return { isPlayable: impossible.length === 0, needs: impossible, publishers, waitsMs: totalMs };
}

function inWords({ isPlayable, needs, publishers, waitsMs }: AtService): string {
  const waits = waitsMs === 0 ? "doesn't wait" : `waits for ${readableDuration(waitsMs)}`;
  if (!isPlayable) return `no: needs ${formatList(needs)}; ${waits}`;
  return `yes: ${waits}${publishers > 1 ? `, needs ${publishers} publishers` : ""}`;
}

/** A short description for the list. The scenario itself and the JSON have the whole text. */
function firstSentence(about: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(about)?.[0] ?? about;
}
