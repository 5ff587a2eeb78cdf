/** `GET /v1/publisher/surfaces`: all surfaces of a publisher with their current status (spec §4). */

import { publicSurface } from "../../world/accounts/account.ts";
import { type Operator, readSuccess, refused } from "./outcome.ts";

export const listSurfaces: Operator<"surfaces"> = (_input, account) => {
  const surfaces = account.surfaces.map((terms) => {
    const { id, name, status, cpmRange } = publicSurface(terms);
    return { id, name, status, cpm_range: cpmRange };
  });
  return readSuccess({ surfaces });
};

/** Refuses a request that names a surface that the publisher doesn't have. */
export const surfaceNotFound = refused(
  "surface_not_found",
  "surface is not the id of a surface of this publisher. GET /v1/publisher/surfaces lists the ids.",
  "surface",
);
