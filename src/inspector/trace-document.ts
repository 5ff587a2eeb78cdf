/** The file form: one HTML document that holds the page, the engine and the recording, and loads nothing. */

import type { InspectorAssets } from "./assets.ts";
import type { EngineAssets } from "./assets-engine.ts";
import { inlined } from "./inlined.ts";
import type { Trace } from "./trace-form.ts";

/** JSON that can't end its element: outside of strings it has no `<`, and inside them an escape means the same. */
function inlinedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function asText(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>]/g, (one) => entities[one] ?? one);
}

/** Only what is in the document may run or load. */
function policyOf({ sources }: EngineAssets): string {
  return [
    "default-src 'none'",
    `script-src ${sources.engine} ${sources.script}`,
    `style-src ${sources.style}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

export function traceDocument(trace: Trace, page: InspectorAssets, assets: EngineAssets): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(assets)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${asText(trace.title)}</title>
<link rel="icon" href="data:,">
<style>${page.style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. It loads nothing: all that it shows is in this file.</noscript>
<script type="application/json" id="trace">${inlinedJson(trace)}</script>
<script>${assets.engine}</script>
<script>${inlined(page.script)}</script>
</body>
</html>
`;
}
