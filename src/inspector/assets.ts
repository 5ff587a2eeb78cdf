/**
 * The page of the inspector as text: its document, script and style. From sources they are bundled here; in the package
 * `build/bundle.ts` puts the finished texts in this module's place.
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export interface InspectorAssets {
  /** Links `inspector.css` and `inspector.js`, which it expects beside it. A trace has them in place of the links. */
  readonly html: string;
  /** May also stand in a document: nothing in it ends its element. */
  readonly script: string;
  /** For the `script-src` of a Content-Security-Policy, where the script stands in the document. */
  readonly scriptSource: string;
  readonly style: string;
}

let bundled: Promise<InspectorAssets> | undefined;

export function inspectorAssets(): Promise<InspectorAssets> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<InspectorAssets> {
  const { rolldown } = await import("rolldown");
  const textOf = (path: string) => readFile(new URL(path, import.meta.url), "utf8");
  const input = fileURLToPath(new URL("page/main.ts", import.meta.url));
  const build = await rolldown({ input, platform: "browser" });
  const { output } = await build.generate({ format: "iife", minify: true, comments: false });
  await build.close();
  // Escapes mean the same in strings, regular expressions and templates, where alone these can stand.
  const escaped = output[0].code.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
  const script = `${noteOn(await textOf("../../node_modules/preact/LICENSE"))}\n${escaped}`;
  const scriptSource = `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
  return { html, script, scriptSource, style: await textOf("page/style.css") };
}

/** Both packages go into every copy of the page, so their licences do, too: that of htm as the notice that it asks for. */
function noteOn(mit: string): string {
  return `/*!\nThis script holds parts of the package preact:\n\n${mit.trim()}

It also holds the package htm (github.com/developit/htm) under the Apache License, Version 2.0:
http://www.apache.org/licenses/LICENSE-2.0\n*/`;
}

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>adsim inspector</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="inspector.css">
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
<script src="inspector.js"></script>
</body>
</html>
`;
