/** Looks up a publisher that may not exist. */

import { InputError } from "../base/input.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { Publisher } from "../world/accounts/account.ts";

export function publisherWith(
  id: string | undefined,
  publishers: SimulatorCore["publishers"],
): Publisher | undefined {
  if (id === undefined) return undefined;
  try {
    return publishers.get(id);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
