/** `adsim scenarios [NAME]`: lists the scenarios that come with adsim, or prints one as JSON to copy. */

import { shippedScenarios } from "../adapters/shipped-scenarios.ts";
import { indentedJson } from "../base/text.ts";
import { readableDuration } from "../play/measure/quantities.ts";
import { parseScenario } from "../play/scenario/parse-scenario.ts";
import type { Scenario } from "../play/scenario/types.ts";
import { planAtService } from "../play/targets/service-plan.ts";
import type { Call } from "./options/option.ts";
import { loadShipped } from "./play/load-scenario.ts";

type Given = Pick<Call<{ readonly json?: boolean }>, "words" | "flags">;

/** @returns the text to print. @throws CommandFailure for an unknown NAME. */
export function scenarios({ words, flags }: Given): string {
  const [name] = words;
  if (name !== undefined) return indentedJson(loadShipped(name));
  const all = shippedScenarios.map((scenario) => ({
    name: scenario.name,
    about: scenario.about,
    atService: atService(scenario),
  }));
  if (flags.json === true) return indentedJson({ scenarios: all });
  const width = Math.max(...all.map((each) => each.name.length));
  const lines = all.map((each) => {
    const mark = each.atService.isPlayable ? "°" : " ";
    const [about = each.about] = /^.*?[.!?](?=\s|$)/.exec(each.about) ?? [];
    return `${each.name.padEnd(width)} ${mark} ${about}${inWords(each.atService)}`;
  });
  return `${lines.join("\n")}\n\n° can be played at a service other than adsim, too: npx adsim play NAME --target URL --api-key KEY --publisher ID\n`;
}

/** How a scenario can be played at a service that isn't adsim. `waitsMs`: in real time, beside the requests. */
function atService(scenario: Scenario) {
  const plan = planAtService(parseScenario(scenario));
  const { impossible, choices, publishers, totalMs: waitsMs } = plan;
  const needs = [...impossible, ...choices];
  return { isPlayable: impossible.length === 0, needs, publishers, waitsMs };
}

function inWords({ isPlayable, needs, publishers, waitsMs }: ReturnType<typeof atService>): string {
  const terms = [
    ...needs.map((choice) => `--assume ${choice}`),
    ...(publishers > 1 ? [`${publishers} publishers`] : []),
    ...(waitsMs > 0 ? [`waits for ${readableDuration(waitsMs)}`] : []),
  ];
  return isPlayable && terms.length > 0 ? ` (there: ${terms.join(", ")})` : "";
}
