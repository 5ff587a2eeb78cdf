/** Starts a server that continues from a saved state. */

import { formatInstant } from "../base/calendar.ts";
import { InputError } from "../base/input.ts";
import { addRule } from "../faults/faults.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { FaultsState } from "../faults/rules.ts";
import { type Server, startServer } from "../server.ts";
import { type ServerFlags, serverOptions } from "./options/common-options.ts";
import { readLoadFlag, snapshotFailure } from "./options/load-flag.ts";
import { wrongUsage } from "./output/exit.ts";

/** @throws InputError, CommandFailure or SnapshotFileError before the server listens. */
export async function startLoaded(file: string, flags: ServerFlags): Promise<Server> {
  const { snapshot, options } = await readLoadFlag(file, flags);
  const clock = flags.clock ?? snapshot.clock.mode;
  if (clock === "system" && snapshot.start > Date.now()) {
    throw wrongUsage(
      `the world in --load ${file} starts at ${formatInstant(snapshot.start)}, which is later than the system clock. Give --clock flowing or --clock frozen.`,
    );
  }
  const given = await serverOptions(flags, clock);
  checkRules(file, given.faults as readonly FaultRule[] | undefined, snapshot.faults);
  const server = await startServer({ ...given, ...options, snapshot }).catch((error: unknown) => {
    const isSnapshots = error instanceof InputError && error.field.startsWith("snapshot.");
    throw isSnapshots ? snapshotFailure(file, error) : error;
  });
  // No request can have arrived yet: that takes another turn of the event loop.
  const world = server.worlds.get("default");
  if (flags.clock !== undefined) world.clock.set({ mode: flags.clock });
  return server;
}

/** `--faults` may only add rules to a world without any. @throws CommandFailure if the loaded world has other rules. */
function checkRules(
  file: string,
  given: readonly FaultRule[] | undefined,
  saved: FaultsState,
): void {
  if (given === undefined || saved.rules.length === 0) return;
  const state: FaultsState = { added: 0, rules: [] };
  for (const rule of given) addRule(state, rule, 0);
  const written = ({ rules }: FaultsState): string =>
    JSON.stringify(rules.map(({ id, rule }) => ({ ...rule, id })));
  if (written(state) === written(saved)) return;
  throw wrongUsage(
    `--faults has other rules than --load ${file}, which has ${saved.rules.map(({ id }) => id).join(", ")}. Leave --faults out, or save a snapshot without rules (DELETE /_sim/faults first).`,
  );
}
