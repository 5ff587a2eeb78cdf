/** Schemas of the parameters of operations: each is there or not, and whatever value it has. */

import * as v from "valibot";
import type { PayoutsParameters, RequestStep, StatsParameters } from "../scenario.ts";
import { shape } from "./parts.ts";
import { value } from "./values.ts";

const maybe: v.OptionalSchema<typeof value, undefined> = v.optional(value);

export const statsParameters: v.GenericSchema<unknown, StatsParameters> = shape({
  publisher_id: maybe,
  from: maybe,
  to: maybe,
  surface: maybe,
});
export const payoutsParameters: v.GenericSchema<unknown, PayoutsParameters> = shape({
  publisher_id: maybe,
  limit: maybe,
});
export const impressionParameters: v.GenericSchema<unknown, RequestStep["impression"]> = shape({
  publisher_id: maybe,
  surface: maybe,
  ad_id: maybe,
  session_id: maybe,
});
export const surfacesParameters: v.GenericSchema<unknown, RequestStep["surfaces"]> = shape({
  publisher_id: maybe,
});
export const clickParameters: v.GenericSchema<unknown, RequestStep["click"]> = shape({
  impression_id: value,
});
