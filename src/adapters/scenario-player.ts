/** What the scenario routes of the control API work with, in one module to be loaded on need. */

import type { ScenarioPlayer } from "../control/route.ts";
import { playInSlices } from "../play/player/in-process.ts";
import { shippedNames, shippedScenario } from "./shipped-scenarios.ts";

export const scenarioPlayer: ScenarioPlayer = {
  list: shippedNames,
  find: shippedScenario,
  play: playInSlices,
};
