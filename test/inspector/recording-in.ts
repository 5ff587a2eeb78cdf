/** The recording in a trace file's text. */

import type { Trace } from "../../src/inspector/trace.ts";

export function recordingIn(html: string): Trace {
  const [, text = ""] =
    /<script type="application\/json" id="trace">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(text);
}
