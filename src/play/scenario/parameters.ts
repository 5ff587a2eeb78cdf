/** Schemas of the operations' parameters. Any value is allowed, since scenarios also send wrong ones. */

import { namedSchema, optional, type Schema } from "../../base/schema-builders.ts";
import { exactObject } from "./schema-parts.ts";
import type { PayoutsParameters, RequestStep, StatsParameters } from "./types.ts";
import { value } from "./values.ts";

type ParametersOf<Kind extends "impression" | "click" | "surfaces"> = NonNullable<
  RequestStep[Kind]
>;
const maybe = optional(value);

export const statsParameters: Schema<StatsParameters> = namedSchema("stats", () =>
  exactObject<StatsParameters>({ publisher_id: maybe, from: maybe, to: maybe, surface: maybe }),
);
export const payoutsParameters: Schema<PayoutsParameters> = namedSchema("payouts", () =>
  exactObject<PayoutsParameters>({ publisher_id: maybe, limit: maybe }),
);
export const impressionParameters: Schema<ParametersOf<"impression">> = exactObject<
  ParametersOf<"impression">
>({ publisher_id: maybe, surface: maybe, ad_id: maybe, session_id: maybe });
export const surfacesParameters: Schema<ParametersOf<"surfaces">> = exactObject<
  ParametersOf<"surfaces">
>({ publisher_id: maybe });
export const clickParameters: Schema<ParametersOf<"click">> = exactObject<ParametersOf<"click">>({
  impression_id: value,
});
