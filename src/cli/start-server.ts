/** Starts the server of `serve` and `exec`, from a saved state where there is one, and saves it at the end. */

import { checkSavable } from "../adapters/snapshot-file.ts";
import { formatInstant } from "../base/calendar.ts";
import type { ClockMode } from "../base/clock.ts";
import { InputError } from "../base/input.ts";
import { type FaultRule, parseRule } from "../faults/rule.ts";
import { createRuleList } from "../faults/rule-list.ts";
import type { SavedFaults } from "../faults/saved-faults.ts";
import { type Server, saveSnapshot, startServer } from "../server.ts";
import { CommandFailure, exitCodes } from "./exit.ts";
import { loadedSnapshot, notFitting } from "./loaded-snapshot.ts";
import { type ServerFlags, serverOptions } from "./options.ts";

/** @throws InputError, CommandFailure or SnapshotFileError, before anything listens. */
export async function startFrom(flags: ServerFlags, defaultClock: ClockMode): Promise<Server> {
  // Now, rather than with the state at the end.
  if (flags.saveOnExit !== undefined) await checkSavable(flags.saveOnExit);
  return flags.load === undefined
    ? startServer(await serverOptions(flags, defaultClock))
    : startLoaded(flags.load, flags);
}

/** Saves the world `default` where `--save-on-exit` says so. To be called once the server has closed. */
export async function saveOnExit(flags: ServerFlags, server: Server): Promise<void> {
  if (flags.saveOnExit === undefined) return;
  await saveSnapshot(server.worlds.get("default"), flags.saveOnExit);
  process.stderr.write(`adsim: saved the state to ${flags.saveOnExit}\n`);
}

async function startLoaded(file: string, flags: ServerFlags): Promise<Server> {
  const { snapshot, options } = await loadedSnapshot(file, flags);
  const clock = flags.clock ?? snapshot.clock.mode;
  if (clock === "system" && snapshot.start > Date.now()) {
    throw new CommandFailure(
      exitCodes.wrongUsage,
      `--load ${file} holds a world that starts at ${formatInstant(snapshot.start)}, after the system clock. Give --clock flowing or --clock frozen.`,
    );
  }
  const given = await serverOptions(flags, clock);
  checkRules(file, given.faults as readonly FaultRule[] | undefined, snapshot.faults);
  const server = await startServer({ ...given, ...options, snapshot }).catch((error: unknown) => {
    const isSnapshots = error instanceof InputError && error.field.startsWith("snapshot.");
    throw isSnapshots ? notFitting(file, error) : error;
  });
  // No request can have come in yet: they are events of their own.
  const world = server.worlds.get("default");
  if (flags.clock !== undefined) world.clock.set({ mode: flags.clock });
  return server;
}

/** The rules of `--faults` are added where the loaded world has none. @throws CommandFailure where it has others. */
function checkRules(
  file: string,
  given: readonly FaultRule[] | undefined,
  saved: SavedFaults,
): void {
  if (given === undefined || saved.rules.length === 0) return;
  const list = createRuleList("");
  for (const rule of given) list.add(rule, 0, () => undefined);
  const written = ({ rules }: SavedFaults): string =>
    JSON.stringify(rules.map(({ rule }) => parseRule(rule)));
  if (written(list.save(0)) === written(saved)) return;
  throw new CommandFailure(
    exitCodes.wrongUsage,
    `--faults asks for other rules than those that --load ${file} holds with their counts (${saved.rules.map(({ rule }) => rule.id).join(", ")}). Leave --faults out, or take the snapshot without rules (DELETE /_sim/faults before).`,
  );
}
