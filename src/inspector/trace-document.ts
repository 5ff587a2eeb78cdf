/** The file form of the inspector: one HTML document that holds the page and a recording, and loads nothing. */

import type { InspectorAssets } from "./assets.ts";
import type { Trace } from "./trace.ts";

/** Nothing may be loaded, and no other script may run. */
function policyOf({ scriptSource }: InspectorAssets): string {
  return `default-src 'none'; script-src ${scriptSource}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
}

/** JSON that can't end its element: outside of strings it has no `<`, and inside them an escape means the same. */
function inlinedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function asText(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>]/g, (one) => entities[one] ?? one);
}

export function traceDocument(trace: Trace, page: InspectorAssets): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(page)}">
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
<script>${page.script}</script>
</body>
</html>
`;
}
