/** Combines `--api-key`, `--publisher` and `--surface` into publishers of another service, in the given order. */

import type { ServiceCredentials } from "../../play/targets/target.ts";
import type { CredentialWord } from "../options/command-options.ts";
import { wrongUsage } from "../output/exit.ts";

/** Without surfaces, the service is asked for them. */
export interface GivenPublisher extends ServiceCredentials {
  readonly surfaces: readonly string[];
}

/** A second key or publisher begins the next group. @throws CommandFailure for a key or publisher without the other. */
export function givenPublishers(words: readonly CredentialWord[] = []): readonly GivenPublisher[] {
  const groups: { apiKey?: string; publisher?: string; surfaces: string[] }[] = [];
  for (const [kind, text] of words) {
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
    const given = apiKey ? "--api-key" : id ? "--publisher" : "--surface";
    throw wrongUsage(
      `${given} ${apiKey ? "needs --publisher" : "needs --api-key"}. Give each publisher as --api-key KEY --publisher ID, with a --surface ID for each of its surfaces.`,
    );
  });
}
