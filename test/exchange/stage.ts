/** A world, and the requests of its first publisher. */

import {
  type ApiResponse,
  type Choices,
  createSimulator,
  type JournalEntry,
  type Publisher,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { type Sender, senderOf } from "../sender.ts";

export interface Stage extends Sender {
  readonly sim: Simulator;
  readonly publisher: Publisher;
  /** The parameters of an impression on the publisher's first surface. */
  readonly shown: Readonly<Record<"publisher_id" | "surface" | "ad_id", string>>;
  /** The entry of the last request. */
  last(): JournalEntry | undefined;
}

export function stageOf(choices: Choices = {}, options: SimulatorOptions = {}): Stage {
  const sim = createSimulator({ ...options, assumptions: choices });
  const publisher = sim.publishers.at(0);
  const surface = publisher.surfaces[0]?.id ?? "";
  return {
    ...senderOf(sim, publisher),
    sim,
    publisher,
    shown: { publisher_id: publisher.id, surface, ad_id: "ad" },
    last: () => sim.journal.entries({ limit: 1 })[0],
  };
}

/** The status of an answer, with the members of its body. */
export function read({ status, body }: ApiResponse): Readonly<Record<string, unknown>> {
  return { ...JSON.parse(body), status };
}
