/**
 * Starts the server of `serve` and `exec`, from a saved state or the end of a scenario if one is given, and writes at its
 * end what was asked for. Code that deals with files is loaded on demand: most servers start without it.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { formatInstant } from "../base/calendar.ts";
import type { ClockMode } from "../base/clock.ts";
import { InputError } from "../base/input.ts";
import { type Server, startServer } from "../server.ts";
import { type ServerFlags, serverOptions } from "./options/common-options.ts";
import { couldNotRun, wrongUsage } from "./output/exit.ts";
import { say } from "./output/say.ts";
import type { HostProcess } from "./processes/host-process.ts";

/** @throws InputError, CommandFailure or SnapshotFileError before the server listens. */
export async function startFrom(
  flags: ServerFlags,
  defaultClock: ClockMode,
  host: HostProcess,
): Promise<Server> {
  const { saveOnExit, trace, scenario, load } = flags;
  // Checked now, rather than when they are to be written.
  if (saveOnExit !== undefined) {
    await (await import("../adapters/files/snapshot-file.ts")).checkSavable(saveOnExit);
  }
  if (trace !== undefined) {
    await (await import("./output/reports.ts")).checkOut({
      option: `--trace ${trace}`,
      file: trace,
    });
    if (flags.journalEntries === 0) {
      throw wrongUsage("a trace is made from the journal: leave --journal-entries 0 out.");
    }
  }
  if (scenario !== undefined) {
    return (await import("./start-played.ts")).startPlayed(scenario, flags, host);
  }
  if (load === undefined) return startServer(await serverOptions(flags, defaultClock));
  const isFirst = resolve(load) === resolve(saveOnExit ?? "") && !existsSync(load);
  if (!isFirst) return startLoaded(load, flags);
  say(`adsim: ${load} doesn't exist yet, so this starts with a new world\n`, host.stderr);
  return startServer(await serverOptions(flags, defaultClock));
}

async function startLoaded(file: string, flags: ServerFlags): Promise<Server> {
  const { snapshot, options } = await (await import("./options/load-flag.ts")).readLoadFlag(
    file,
    flags,
  );
  const { clock = snapshot.clock.mode } = flags;
  if (clock === "system" && snapshot.start > Date.now()) {
    throw wrongUsage(
      `the world in --load ${file} starts at ${formatInstant(snapshot.start)}, which is later than the system clock. Give --clock flowing or --clock frozen.`,
    );
  }
  const given = await serverOptions(flags, clock);
  const server = await startServer({ ...given, ...options, snapshot }).catch((error: unknown) => {
    if (!(error instanceof InputError && error.field.startsWith("snapshot."))) throw error;
    const why = error.message.replace("snapshot.", "");
    throw couldNotRun(`${file}: can't be loaded: ${why}. Give a file that this adsim saved.`);
  });
  // No request can have arrived yet: that takes another turn of the event loop.
  if (flags.clock !== undefined) server.worlds.get("default").clock.set({ mode: clock });
  return server;
}

/** Writes the files of `--trace` and `--save-on-exit`, once the server has closed. @throws SnapshotFileError, CommandFailure */
export async function writeAtEnd(
  { trace, saveOnExit }: ServerFlags,
  { worlds }: Server,
  title: string,
  { stderr }: HostProcess,
): Promise<void> {
  if (saveOnExit !== undefined) {
    const { saveSnapshot } = await import("../adapters/files/snapshot-file.ts");
    const { replaced } = await saveSnapshot(worlds.get("default"), saveOnExit);
    const instead = replaced ? ", which replaced the file that was there" : "";
    say(`adsim: saved the state to ${saveOnExit}${instead}\n`, stderr);
  }
  if (trace === undefined) return;
  const { traceHtml } = await import("../adapters/trace-html.ts");
  const { missingFrom } = await import("../inspector/trace.ts");
  const { writeOut } = await import("./output/reports.ts");
  const content = await traceHtml(worlds, title);
  for (const missing of missingFrom(worlds)) say(`adsim: ${missing}\n`, stderr);
  await writeOut({ option: `--trace ${trace}`, file: trace, content }, stderr);
  const kB = Math.ceil(Buffer.byteLength(content) / 1000);
  say(`adsim: wrote a trace to ${trace} (${kB} kB). Open it in a browser.\n`, stderr);
}
