/** Writes the files of a load, which can be gigabytes: in pieces, and without leftovers if a signal ends it. */

import type { Content } from "../../adapters/files/whole-file.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { sayAll } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { endingSignals, onFirstSignal } from "../processes/signals.ts";
import type { LoadFile } from "./load-tool.ts";

/**
 * Writes all files or none, as far as that can be known before. Exits the process after a signal.
 *
 * `inputs`: files that are read, which none may replace.
 *
 * @returns false if the reader of standard output has gone.
 * @throws CommandFailure for a file that can't be written.
 */
export async function writeLoad(
  files: readonly LoadFile[],
  inputs: readonly string[],
  host: HostProcess,
): Promise<boolean> {
  const { stdout, stderr } = host;
  const outputs = files.map(({ file, content }) => ({ file, content, option: `--out ${file}` }));
  for (const { file, option } of outputs)
    if (file !== undefined) await checkOut({ option, file }, inputs);
  const signalled = new AbortController();
  const stopListening = onFirstSignal(host, endingSignals, (_, number) => signalled.abort(number));
  try {
    for (const { file, option, content: whole } of outputs) {
      signalled.signal.throwIfAborted();
      const content = typeof whole === "string" ? whole : piecesUntil(signalled.signal, whole);
      if (file !== undefined) await writeOut({ option, file, content }, stderr);
      else if (!(await sayAll(content, stdout))) return false;
    }
    return true;
  } catch (error) {
    // The unfinished file is already gone.
    if (signalled.signal.aborted) host.exit(128 + signalled.signal.reason);
    throw error;
  } finally {
    stopListening();
  }
}

function* piecesUntil(signal: AbortSignal, content: Exclude<Content, string>): Generator<string> {
  for (const piece of content) {
    signal.throwIfAborted();
    yield piece;
  }
}
