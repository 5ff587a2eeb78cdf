/** The file form of the inspector: its page and a recording as one HTML document that loads nothing. */

import type { InspectorAssets } from "./assets.ts";
import type { Trace } from "./trace.ts";

/** JSON that can't end its element: it has a `<` only inside of strings, where an escape means the same. */
function inlinedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function asText(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>]/g, (one) => entities[one] ?? one);
}

export function traceDocument(trace: Trace, page: InspectorAssets): string {
  // Nothing may be loaded, and no other script may run.
  const policy = `default-src 'none'; script-src ${page.scriptSource}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${asText(trace.title)}</title>`;
  const scripts = `<script type="application/json" id="trace">${inlinedJson(trace)}</script>
<script>${page.script}</script>`;
  return page.html
    .replace("<title>adsim inspector</title>", () => head)
    .replace('<link rel="stylesheet" href="inspector.css">', () => `<style>${page.style}</style>`)
    .replace('<script src="inspector.js"></script>', () => scripts);
}
