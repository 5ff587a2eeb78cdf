/**
 * The file form's engine as bundled text, and the digests that the file's policy names. They are computed here because not every
 * program that writes such a file can.
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { inspectorAssets } from "./assets.ts";
import { inlined } from "./inlined.ts";

export interface EngineAssets {
  /** As it stands in the document. */
  readonly engine: string;
  /** Sources for a Content-Security-Policy. */
  readonly sources: { readonly engine: string; readonly script: string; readonly style: string };
}

let bundled: Promise<EngineAssets> | undefined;

export function engineAssets(): Promise<EngineAssets> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<EngineAssets> {
  const { rolldown } = await import("rolldown");
  const licence = new URL("../../node_modules/valibot/LICENSE.md", import.meta.url);
  const [{ script, style }, mit] = await Promise.all([
    inspectorAssets(),
    readFile(licence, "utf8"),
  ]);
  const build = await rolldown({
    input: fileURLToPath(new URL("engine.ts", import.meta.url)),
    platform: "browser",
  });
  const { output } = await build.generate({ format: "iife", minify: true, comments: false });
  await build.close();
  const note = `/*!\nThis script holds the package valibot:\n\n${mit.trim()}\n*/`;
  const engine = inlined(`${note}\n${output[0].code}`);
  return {
    engine,
    sources: {
      engine: sourceOf(engine),
      script: sourceOf(inlined(script)),
      style: sourceOf(style),
    },
  };
}

function sourceOf(text: string): string {
  // A browser reads these as other characters, and the digest wouldn't fit.
  if (/[\0\r]/.test(text))
    throw new Error("A text for the file has a character that HTML changes.");
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
