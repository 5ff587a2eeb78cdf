/** `exec --trace` and `serve --trace-on-exit`: writes what happened on a server as one HTML file. */

import { checkWritable, writeWholeFile } from "../adapters/files/whole-file.ts";
import { traceHtml } from "../adapters/trace-html.ts";
import { describeError } from "../base/file-error.ts";
import { missingFrom } from "../inspector/trace.ts";
import type { Server } from "../server.ts";
import type { ServerFlags } from "./options/common-options.ts";
import { couldNotRun, wrongUsage } from "./output/exit.ts";
import { say } from "./output/say.ts";
import type { HostProcess } from "./processes/host-process.ts";

/** @throws CommandFailure if the file can't be written, or there will be nothing to write. Call it before anything starts. */
export async function checkTrace({ trace: file = "", journalEntries }: ServerFlags): Promise<void> {
  if (journalEntries === 0) {
    throw wrongUsage(
      "a trace is made from the journal, which --journal-entries 0 turns off. Leave that out",
    );
  }
  await checkWritable(file).catch((error: unknown) => {
    throw couldNotRun(cantWrite(file, error));
  });
}

/**
 * Writes the file of `--trace` whole or not at all, and says where it is, or why it couldn't be written. Call it once the
 * server has closed.
 *
 * @returns whether it was written.
 */
export async function writeTrace(
  file: string,
  server: Server,
  title: string,
  { stderr }: HostProcess,
): Promise<boolean> {
  try {
    const { worlds } = server;
    const html = await traceHtml(worlds, title);
    for (const missing of missingFrom(worlds)) say(`adsim: ${missing}\n`, stderr);
    const written = await writeWholeFile(file, html);
    const instead = written === "replaced" ? ", which replaced the file that was there" : "";
    const size = sizeInWords(Buffer.byteLength(html));
    say(`adsim: wrote a trace to ${file} (${size})${instead}. Open it in a browser.\n`, stderr);
    return true;
  } catch (error) {
    say(`adsim: ${cantWrite(file, error)}\n`, stderr);
    return false;
  }
}

function cantWrite(file: string, error: unknown): string {
  return `${file}: the trace can't be written: ${describeError(error)}. Choose a file in a writable folder.`;
}

function sizeInWords(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
