/** Combines `--api-key`, `--publisher` and `--surface` into publishers of another service, in the given order. */

import type { ServiceCredentials } from "../../play/targets/target.ts";
import type { PlacedWord } from "../options/command-options.ts";
import { wrongUsage } from "../output/exit.ts";

export interface CredentialFlags {
  readonly apiKey?: readonly PlacedWord[];
  readonly publisher?: readonly PlacedWord[];
  readonly surface?: readonly PlacedWord[];
}

/** Without surfaces, the service is asked for them. */
export interface GivenPublisher extends ServiceCredentials {
  readonly surfaces: readonly string[];
}

/** A second key or publisher begins the next group. @throws CommandFailure for a key or publisher without the other. */
export function givenPublishers(flags: CredentialFlags): readonly GivenPublisher[] {
  const words = (["apiKey", "publisher", "surface"] as const)
    .flatMap((kind) => (flags[kind] ?? []).map((word) => ({ kind, ...word })))
    .sort((one, other) => one.place - other.place);
  const groups: { apiKey?: string; publisher?: string; surfaces: string[] }[] = [];
  for (const { kind, text } of words) {
    let group = groups.at(-1);
    if (group === undefined || (kind !== "surface" && group[kind] !== undefined)) {
      group = { surfaces: [] };
      groups.push(group);
    }
    if (kind === "surface") group.surfaces.push(text);
    else group[kind] = text;
  }
  return groups.map(({ apiKey, publisher: id, surfaces }) => {
    if (apiKey !== undefined && id !== undefined) return { id, apiKey, surfaces };
    const given =
      apiKey !== undefined ? "--api-key" : id !== undefined ? "--publisher" : "--surface";
    throw wrongUsage(
      `${given} ${apiKey === undefined ? "needs --api-key" : "needs --publisher"}. Give each publisher as --api-key KEY --publisher ID, with a --surface ID for each of its surfaces.`,
    );
  });
}
