/** Finds out what is at a URL: an adsim that lets us control it, one that doesn't, or another service. */

import * as v from "valibot";
import { askControl, type ControlApiOptions, plainText, problem } from "./control-api.ts";

export type Health =
  | { readonly kind: "adsim"; readonly version: string; readonly seed: string }
  | { readonly kind: "refusing"; readonly status: number; readonly detail: string }
  | { readonly kind: "other"; readonly status: number };

const healthy = v.looseObject({
  status: v.literal("ok"),
  version: plainText,
  seed: v.string(),
  world: v.string(),
  now: v.string(),
});

/** @throws Error (as a rejection) where nobody answers. */
export async function askHealth(
  options: Pick<ControlApiOptions, "client" | "origin" | "prefix" | "token">,
): Promise<Health> {
  const { status, value } = await askControl(options, "GET", "health");
  const refusal = v.safeParse(problem, value);
  if (refusal.success) return { kind: "refusing", status, detail: refusal.output.detail };
  const found = v.safeParse(healthy, value);
  if (status === 200 && found.success) {
    const { version, seed } = found.output;
    return { kind: "adsim", version, seed };
  }
  return { kind: "other", status };
}
