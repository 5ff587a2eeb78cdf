/** Loads what routes of the control API name, with the first request that needs it: starting doesn't wait for it. */

import type { ControlModules } from "../../control/route.ts";

/** What is loaded so far, and how more is. */
export interface ControlLoader {
  readonly modules: Readonly<Partial<ControlModules>>;
  /** Where it fails, the route says that it lacks something. */
  load(name: keyof ControlModules, done: () => void): void;
}

type Loaders = { readonly [Name in keyof ControlModules]: () => Promise<ControlModules[Name]> };

const loaders: Loaders = {
  scenarios: () => import("../scenario-player.ts").then(({ scenarioPlayer }) => scenarioPlayer),
  metrics: () => import("./write-metrics.ts").then(({ writeMetrics }) => writeMetrics),
};

type Modules = { -readonly [Name in keyof ControlModules]?: ControlModules[Name] };

export function createControlLoader(): ControlLoader {
  const modules: Modules = {};

  async function load<Name extends keyof ControlModules>(name: Name): Promise<void> {
    try {
      modules[name] = await loaders[name]();
    } catch (error) {
      process.stderr.write(`adsim: a bug. ${error instanceof Error ? error.stack : error}\n`);
    }
  }
  return { modules, load: (name, done) => load(name).then(done) };
}
