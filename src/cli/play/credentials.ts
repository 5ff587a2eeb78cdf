/** Combines `--api-key`, `--publisher` and `--surface` into publishers of another service, in the given order. */

import type { ServiceCredentials } from "../../play/targets/target.ts";
import { wrongUsage } from "../output/exit.ts";

export interface CredentialWord {
  readonly kind: "apiKey" | "publisher" | "surface";
  readonly text: string;
}

/** All three have the same list: the options of all kinds in the given order. */
export interface CredentialFlags {
  readonly apiKey?: readonly CredentialWord[];
  readonly publisher?: readonly CredentialWord[];
  readonly surface?: readonly CredentialWord[];
}

/** Without surfaces, the service is asked for them. */
export interface GivenPublisher extends ServiceCredentials {
  readonly surfaces: readonly string[];
}

interface Group {
  apiKey?: string;
  publisher?: string;
  readonly surfaces: string[];
}

/** A second key or publisher begins the next group. @throws CommandFailure for a key or publisher without the other. */
export function givenPublishers(flags: CredentialFlags): readonly GivenPublisher[] {
  const words = flags.apiKey ?? flags.publisher ?? flags.surface ?? [];
  const groups: Group[] = [];
  for (const { kind, text } of words) {
    const last = groups.at(-1);
    const isNew = last === undefined || (kind !== "surface" && last[kind] !== undefined);
    const group: Group = isNew ? { surfaces: [] } : last;
    if (isNew) groups.push(group);
    if (kind === "surface") group.surfaces.push(text);
    else group[kind] = text;
  }
  return groups.map(({ apiKey, publisher, surfaces }) => {
    if (apiKey !== undefined && publisher !== undefined) return { id: publisher, apiKey, surfaces };
    const [there, missing] =
      apiKey === undefined ? ["--publisher", "--api-key"] : ["--api-key", "--publisher"];
    const given = apiKey === undefined && publisher === undefined ? "--surface" : there;
    const wanted = given === "--surface" ? "--api-key and --publisher" : missing;
    throw wrongUsage(
      `${given} needs ${wanted}. Give each publisher as --api-key KEY --publisher ID, with a --surface ID for each of its surfaces.`,
    );
  });
}

/** The options that give these publishers, without their keys. */
export function publisherWords(publishers: readonly GivenPublisher[]): readonly string[] {
  return publishers.flatMap(({ id, surfaces }) => [
    ...["--api-key", "…", "--publisher", id],
    ...surfaces.flatMap((surface) => ["--surface", surface]),
  ]);
}
