/** Makes the file form of the inspector from worlds of this process. */

import { createControl } from "../control/control.ts";
import { inspectorAssets } from "../inspector/assets.ts";
import { traceOf } from "../inspector/trace.ts";
import { traceDocument } from "../inspector/trace-document.ts";
import type { HostedCore } from "../simulator/core.ts";
import { createWorlds, type Worlds } from "../simulator/worlds.ts";
import { fakerHost } from "../world/publishers/people.ts";
import { controlModules } from "./control-modules.ts";

/** The file's text: the worlds as they are at the time of the call. */
export async function traceHtml(worlds: Worlds, title = "adsim trace"): Promise<string> {
  const trace = await traceOf(worlds, title);
  return traceDocument(trace, await inspectorAssets());
}

/** The simulator as a server's only world. */
export function worldsWith(first: HostedCore): Worlds {
  return createWorlds({
    options: {},
    host: fakerHost,
    control: createControl(controlModules),
    first,
  });
}
