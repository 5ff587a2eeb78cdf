/** Checks that an account from outside belongs to its population: the seed fixes who a publisher is. */

import { InputError } from "../../base/input.ts";
import type { Person } from "../publishers/people.ts";
import type { Population } from "../publishers/population.ts";
import type { Account } from "./account.ts";

/** @throws InputError that names the field that doesn't fit the seed. */
export function checkOrigin(
  from: Pick<Account, "ordinal" | "surfaces"> & {
    readonly joined: number;
    readonly person?: Person | undefined;
  },
  population: Population,
): void {
  const { ordinal, joined, person, surfaces } = from;
  const refuse = (at: string, why: string): never => {
    throw new InputError(at, why);
  };
  if (ordinal >= population.size) {
    if (person === undefined) refuse("person", "is required of who signed up");
    return;
  }
  if (person !== undefined) refuse("person", "must not be there: the publisher didn't sign up");
  const seeded = population.publisherAt(ordinal);
  if (joined !== seeded.joined) refuse("joined", "is not the day on which this publisher joined");
  if (surfaces.length !== seeded.surfaces.length)
    refuse("surfaces", "are more or fewer than it has");
  for (const [index, { name, cpcMicros, status, statusBy }] of surfaces.entries()) {
    const own = seeded.surfaces[index];
    const at = `surfaces.${index}`;
    if (name !== own?.name) refuse(`${at}.name`, "is not the name of this surface");
    if (cpcMicros !== own?.cpcMicros) refuse(`${at}.cpcMicros`, "is not the price of its clicks");
    if (statusBy === undefined && status !== own?.status) {
      refuse(
        `${at}.status`,
        "differs from the status that the seed gives, and the snapshot records no change of it",
      );
    }
  }
}
