/** Makes the file form of the inspector from worlds of this process. */

import { inspectorAssets } from "../inspector/assets.ts";
import { engineAssets } from "../inspector/assets-engine.ts";
import { traceDocument } from "../inspector/trace-document.ts";
import { type LeftOutWorld, type TracedWorld, traceOf } from "../inspector/trace-worlds.ts";
import type { Host } from "../simulator/running-world.ts";

export interface TraceHtmlOptions {
  /** @default "adsim trace" */
  readonly title?: string | undefined;
  readonly host: Pick<Host, "people">;
}

export interface TraceHtml {
  readonly html: string;
  /** The worlds that can't be traced, unless it is all of them. */
  readonly leftOut: readonly LeftOutWorld[];
}

/** The file's text: the state at the time of the call. @throws (as a rejection) as {@link traceOf} does. */
export async function traceHtml(
  worlds: readonly [TracedWorld, ...TracedWorld[]],
  { title = "adsim trace", host }: TraceHtmlOptions,
): Promise<TraceHtml> {
  const { trace, leftOut } = traceOf(worlds, { title, host });
  const [page, engine] = await Promise.all([inspectorAssets(), engineAssets()]);
  return { html: traceDocument(trace, page, engine), leftOut };
}
