/** Collects the names that a trace shows, since the engine in its file has no generator of names. */

import type { JournalRecord } from "../journal/record.ts";
import type { Script } from "../simulator/moment.ts";
import type { Host } from "../simulator/running-world.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import { createIds } from "../world/publishers/ids.ts";
import type { PersonGenerator } from "../world/publishers/people.ts";
import { FIRST_SIGN_UP_ORDINAL } from "../world/publishers/population.ts";
import type { Profile } from "../world/publishers/profiles.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { TracedPerson } from "./trace-form.ts";

/** As many as a list shows at first, and a few more. */
const FIRST_PUBLISHERS = 25;

export interface People {
  /** Notes the publishers that a script touches, and the first ones of its world. */
  note(script: Script, world: HostedCore): void;
  all(): readonly TracedPerson[];
}

export function createPeople(host: Pick<Host, "people">): People {
  const noted = new Map<string, Omit<TracedPerson, keyof ReturnType<PersonGenerator>>>();
  const codecs = new Map<WorldDescription, (id: string) => number | undefined>();

  function add(seed: string, profile: Profile, ordinal: number | undefined): void {
    if (ordinal === undefined) return;
    noted.set(JSON.stringify([seed, profile, ordinal]), { seed, profile, ordinal });
  }
  /** All records of a world share its description. */
  function ordinalIn(world: WorldDescription, id: string): number | undefined {
    const known = codecs.get(world) ?? readerOf(world);
    codecs.set(world, known);
    return known(id);
  }
  function noteRecord(record: JournalRecord): void {
    const { seed, profile } = record.world;
    for (const id of [record.publisher, publisherIn(record.query)]) {
      if (id !== undefined) add(seed, profile, ordinalIn(record.world, id));
    }
  }

  return {
    note({ from, steps }, world) {
      const { seed, profile, publishers, accounts } = from.copy.state;
      const signUps = Math.max(0, world.publishers.total - publishers);
      for (const { ordinal } of accounts) add(seed, profile, ordinal);
      for (let at = 0; at < Math.min(FIRST_PUBLISHERS, publishers); at += 1) add(seed, profile, at);
      for (let at = 0; at <= signUps; at += 1) add(seed, profile, FIRST_SIGN_UP_ORDINAL + at);
      const codec = createIds(seed, resolveAssumptions(from.copy.state.assumptions)).publisher;
      for (const step of steps) {
        if (step.kind === "request") noteRecord(step.record);
        else if ("publisher" in step.noted.change)
          add(seed, profile, codec.decode(step.noted.change.publisher)?.publisher);
      }
    },
    all: () =>
      Array.from(noted.values(), (one) => ({
        ...one,
        ...host.people()(one.seed, one.profile, one.ordinal),
      })),
  };
}

function readerOf({ seed, assumptions }: WorldDescription): (id: string) => number | undefined {
  const { publisher } = createIds(seed, resolveAssumptions(assumptions));
  return (id) => publisher.decode(id)?.publisher;
}

function publisherIn(query: string): string | undefined {
  return /(?:^|&)publisher_id=([^&]+)/.exec(query)?.[1];
}
