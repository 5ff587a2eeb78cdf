/** Loads what routes of the control API name, with the first request that needs it: starting doesn't wait for it. */

import type { ControlModules } from "../control/routes.ts";

/** What is loaded so far, and how more is. */
export interface ControlLoader {
  readonly modules: Readonly<Partial<ControlModules>>;
  /** Undefined where there is nothing to load. Never rejects: the route says that it lacks something. */
  loading(name: keyof ControlModules | undefined): Promise<void> | undefined;
}

type Loaders = { readonly [Name in keyof ControlModules]: () => Promise<ControlModules[Name]> };

const loaders: Loaders = {
  scenarios: () => import("./scenario-player.ts").then(({ scenarioPlayer }) => scenarioPlayer),
};

export function createControlLoader(): ControlLoader {
  const modules: Partial<{ -readonly [Name in keyof ControlModules]: ControlModules[Name] }> = {};

  async function load(name: keyof ControlModules): Promise<void> {
    try {
      modules[name] = await loaders[name]();
    } catch (error) {
      process.stderr.write(`adsim: a bug. ${error instanceof Error ? error.stack : error}\n`);
    }
  }
  return {
    modules,
    loading: (name) => (name === undefined || modules[name] !== undefined ? undefined : load(name)),
  };
}
