/** The list of a publisher's surfaces (spec §2). */

import { equal } from "./check.ts";
import { type Bench, type Expectation, success } from "./expectation.ts";
import type { Account } from "./facts.ts";
import { looksLike } from "./ids.ts";
import { checkMembers } from "./members.ts";

export function expectSurfaces({ readings, sometimes }: Bench, account: Account): Expectation {
  return success(({ body }) => {
    for (const surface of body.surfaces) {
      checkMembers(surface, ["id", "name", "status", "cpm_range"], readings);
      looksLike(surface.id, "surface", readings["ids.format"]);
      if (surface.status !== "active") sometimes("a surface listed that isn't active");
    }
    equal(
      "surfaces",
      body.surfaces.map(
        (one: { id: string; name: string; status: string; cpm_range: readonly number[] }) => [
          one.id,
          one.name,
          one.status,
          one.cpm_range,
        ],
      ),
      account.surfaces.map(({ id, name, status, cpm }) => [id, name, status, cpm]),
    );
  });
}
