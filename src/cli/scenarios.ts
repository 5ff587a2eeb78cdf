/** `adsim scenarios [NAME]`: lists the scenarios that come with adsim, or prints one as JSON to copy. */

import { shippedNames } from "../adapters/shipped-scenarios.ts";
import { indentedJson } from "../base/text.ts";
import { readableDuration } from "../play/measure/quantities.ts";
import { parseScenario } from "../play/scenario/parse-scenario.ts";
import { planAtService } from "../play/targets/service-plan.ts";
import { loadShipped } from "./play/load-scenario.ts";
import type { HostProcess } from "./processes/host-process.ts";

/** @throws CommandFailure for an unknown NAME. */
export function scenarios(
  name: string | undefined,
  { json }: { readonly json?: boolean },
  { stdout }: HostProcess,
): void {
  if (name !== undefined) {
    stdout.write(indentedJson(loadShipped(name)));
    return;
  }
  const all = shippedNames().map((each) => ({ ...each, atService: atService(each.name) }));
  if (json === true) {
    stdout.write(indentedJson({ scenarios: all }));
    return;
  }
  const width = Math.max(0, ...all.map((each) => each.name.length));
  const lines = all.map(
    (each) =>
      `${each.name.padEnd(width)} ${each.atService.isPlayable ? "°" : " "} ${firstSentence(each.about)}${inWords(each.atService)}`,
  );
  stdout.write(
    `${lines.join("\n")}\n\n° can be played at a service other than adsim, too: npx adsim play NAME --target URL --api-key KEY --publisher ID\n`,
  );
}

/** How a scenario can be played at a service that isn't adsim. */
interface AtService {
  readonly isPlayable: boolean;
  /** What only an adsim has, and choices that the service must make. */
  readonly needs: readonly string[];
  readonly publishers: number;
  /** In real time, beside the requests. */
  readonly waitsMs: number;
}

function atService(name: string): AtService {
  const plan = planAtService(parseScenario(loadShipped(name)), {});
  const { impossible, totalMs, publishers } = plan;
  const isPlayable = impossible.every((need) => need.includes("="));
  return { isPlayable, needs: impossible, publishers, waitsMs: totalMs };
}

function inWords({ isPlayable, needs, publishers, waitsMs }: AtService): string {
  const terms = [
    ...needs.map((choice) => `--assume ${choice}`),
    ...(publishers > 1 ? [`${publishers} publishers`] : []),
    ...(waitsMs > 0 ? [`waits for ${readableDuration(waitsMs)}`] : []),
  ];
  return isPlayable && terms.length > 0 ? ` (there: ${terms.join(", ")})` : "";
}

/** A short description for the list. The scenario itself and the JSON have the whole text. */
function firstSentence(about: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(about)?.[0] ?? about;
}
