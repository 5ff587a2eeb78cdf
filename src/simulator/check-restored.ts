/**
 * Checks that adsim could have saved a restored world, since anybody can forge a digest. It saves the world again, compares
 * the two snapshots, and audits the books.
 */

import { auditOf } from "../audit/audit.ts";
import { InputError, inField } from "../base/input.ts";
import { dedupWindowOf } from "../exchange/operations/operation-world.ts";
import type { Journal } from "../journal/journal.ts";
import { accountsByOrdinal } from "../world/accounts/accounts.ts";
import { checkSavedBook } from "../world/accounts/check-saved-book.ts";
import { type Snapshot, saveAccount } from "../world/accounts/snapshot.ts";
import type { RunningWorld } from "./running-world.ts";

const MAX_SHOWN = 5;

/** @throws InputError that names the first wrong field. */
export function checkRestored(saved: Snapshot, world: RunningWorld, journal: Journal): void {
  const { accounts, buckets, rules, settings, dayOf } = world;
  const nowMs = saved.clock.now;
  const windowMs = dedupWindowOf(settings.assumptions);
  const time = { startMs: settings.startMs, nowMs, dayOf };
  checkSame("assumptions", saved.assumptions, { ...settings.assumptions });
  checkSame("faults", saved.faults, rules.save(nowMs));
  const { discrepancies } = auditOf(world, journal);
  if (discrepancies.length > 0) {
    const shown = discrepancies.slice(0, MAX_SHOWN).join("; ");
    throw new InputError("accounts", `must have books that agree; they don't: ${shown}`);
  }
  for (const [index, account] of accountsByOrdinal(accounts).entries()) {
    const field = `accounts.${index}`;
    const from = saved.accounts[index];
    if (from === undefined) throw new InputError("accounts", "must name each publisher only once");
    inField(`${field}.book`, () => checkSavedBook(account, from.book, time));
    account.book.forget(nowMs, windowMs);
    checkSame(field, from, saveAccount(account, buckets.save(account, nowMs), account.book.save()));
  }
}

/** @throws InputError that names the first field that differs. */
function checkSame(field: string, given: unknown, saved: unknown): void {
  const at = differenceOf(given, saved, field);
  if (at !== undefined) {
    throw new InputError(at, "differs from what this world would save: the snapshot was edited");
  }
}

function differenceOf(left: unknown, right: unknown, path: string): string | undefined {
  if (Object.is(left, right)) return undefined;
  if (typeof left !== "object" || typeof right !== "object" || !left || !right) return path;
  const [one, other] = [new Map(Object.entries(left)), new Map(Object.entries(right))];
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const at = differenceOf(one.get(name), other.get(name), `${path}.${name}`);
    if (at !== undefined) return at;
  }
  return undefined;
}
