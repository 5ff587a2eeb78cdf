/** Loads modules of the control API with the first request that needs them, so that the server starts faster. */

import type { ControlLoader, ControlModules } from "../../control/route.ts";

type Loaders = { readonly [Name in keyof ControlModules]: () => Promise<ControlModules[Name]> };

const loaders: Loaders = {
  async scenarios() {
    const [{ shippedNames, shippedScenario }, { playInSlices }, { parseScenario }] =
      await Promise.all([
        import("../shipped-scenarios.ts"),
        import("../../play/player/play-in-process.ts"),
        import("../../play/language/parse/parse-scenario.ts"),
      ]);
    return {
      list: shippedNames,
      find: shippedScenario,
      play: playInSlices,
      check: (scenario) => void parseScenario(scenario),
    };
  },
  metrics: () => import("./write-metrics.ts").then(({ writeMetrics }) => writeMetrics),
  inspector: () =>
    import("../../inspector/assets.ts").then(({ inspectorAssets }) => inspectorAssets()),
};

export function createControlLoader(): ControlLoader {
  const modules: { -readonly [Name in keyof ControlModules]?: ControlModules[Name] } = {};

  return (name, done) => {
    if (modules[name] !== undefined) {
      done(modules[name]);
      return;
    }
    loaders[name]()
      .then((module) => {
        modules[name] = module;
      })
      .catch((error: unknown) => {
        process.stderr.write(`adsim: a bug. ${error instanceof Error ? error.stack : error}\n`);
      })
      .then(() => done(modules[name]));
  };
}
