/** A world whose publishers record impressions and clicks, in the shortest form. */

import { type ApiResponse, createSimulator, type Simulator } from "../../src/index.ts";

type Options = NonNullable<Parameters<typeof createSimulator>[0]>;

export interface Recording {
  sim: Simulator;
  /** Ids of the first publishers. */
  readonly ids: readonly string[];
  /** `for`: place of the publisher that is named; `by`: of the one whose key is sent. */
  show(
    ad: string,
    sent?: { session?: string; by?: number; for?: number; surface?: string },
  ): ApiResponse;
  click(impression: string, by?: number): ApiResponse;
}

export function recordingOf(options: Options = {}): Recording {
  const sim = createSimulator({ seed: "audit", publishers: 3, profile: "tiny", ...options });
  const post = (by: number, path: string, body: Readonly<Record<string, unknown>>): ApiResponse => {
    const { apiKey } = recording.sim.publishers.at(by);
    const headers = { authorization: `Bearer ${apiKey}` };
    return recording.sim.handle({ method: "POST", path, headers, body });
  };
  const recording: Recording = {
    sim,
    ids: sim.publishers.credentials(3).map(({ id }) => id),
    show(ad_id, { session: session_id, by = 0, for: named = by, surface } = {}) {
      const { id: publisher_id, surfaces } = recording.sim.publishers.at(named);
      const body = { publisher_id, surface: surface ?? surfaces[0]?.id, ad_id, session_id };
      return post(by, "/v1/impression", body);
    },
    click: (impression_id, by = 0) => post(by, "/v1/click", { impression_id }),
  };
  return recording;
}

export function impressionIn({ body }: ApiResponse): string {
  return JSON.parse(body).impression_id;
}
