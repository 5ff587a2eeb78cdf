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
    const last = groups.at(-1);
    const isNew = last === undefined || (kind !== "surface" && last[kind] !== undefined);
    const group = isNew ? { surfaces: [] } : last;
    if (isNew) groups.push(group);
    if (kind === "surface") group.surfaces.push(text);
    else Object.assign(group, { [kind]: text });
  }
  return groups.map(({ apiKey, publisher, surfaces }) => {
    if (apiKey !== undefined && publisher !== undefined) return { id: publisher, apiKey, surfaces };
    const given = { "--surface": surfaces[0], "--publisher": publisher, "--api-key": apiKey };
    const named = Object.entries(given).filter(([, word]) => word !== undefined);
    const missing = (["--api-key", "--publisher"] as const).filter(
      (name) => given[name] === undefined,
    );
    throw wrongUsage(
      `${named.at(-1)?.[0]} needs ${missing.join(" and ")}. Give each publisher as --api-key KEY --publisher ID, with a --surface ID for each of its surfaces.`,
    );
  });
}
