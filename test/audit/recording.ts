/** A world whose publishers record impressions and clicks, in short form. */

import { type ApiResponse, createSimulator, type Simulator } from "../../src/index.ts";
import { type Sender, senderOf } from "../sender.ts";

type Options = NonNullable<Parameters<typeof createSimulator>[0]>;

export interface Recording {
  sim: Simulator;
  /** Ids of the first publishers. */
  readonly ids: readonly string[];
  /** `for`: index of the publisher that is named; `by`: index of the one whose key is sent. */
  show(
    ad: string,
    sent?: { session?: string; by?: number; for?: number; surface?: string },
  ): ApiResponse;
  click(impression: string, by?: number): ApiResponse;
}

export function recordingOf(options: Options = {}): Recording {
  const sim = createSimulator({ seed: "audit", publishers: 3, profile: "tiny", ...options });
  const by = (place: number): Sender => senderOf(recording.sim, recording.sim.publishers.at(place));
  const recording: Recording = {
    sim,
    ids: sim.publishers.credentials(3).map(({ id }) => id),
    show(ad_id, { session: session_id, by: place = 0, for: named = place, surface } = {}) {
      const { id: publisher_id, surfaces } = recording.sim.publishers.at(named);
      const shown = { publisher_id, surface: surface ?? surfaces[0]?.id, ad_id, session_id };
      return by(place).impression(shown);
    },
    click: (impression_id, place = 0) => by(place).post("click", { impression_id }),
  };
  return recording;
}
