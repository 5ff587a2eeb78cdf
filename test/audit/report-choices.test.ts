/** Under all pairs of choices a request that is refused 60 times, 3 ms apart, is a hot loop and refused-and-sent-again. */

import { expect, test } from "vitest";
import { type ApiResponse, coveringArray } from "../../src/index.ts";
import { type ReportWorld, reportWorldOf } from "./report-world.ts";

type Values = Readonly<Record<string, string>>;

/** Sends parameters as the assumptions require. */
function post({ sim, send, publisher }: ReportWorld, path: string, values: Values): ApiResponse {
  const encoding = sim.assumptions["request.encoding"];
  const authorization = `Bearer ${publisher.apiKey}`;
  const request = { method: "POST", path, headers: { authorization } };
  if (encoding === "query") return send({ ...request, query: values });
  if (encoding !== "form") return send({ ...request, body: values });
  const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
  return send({ ...request, headers, body: String(new URLSearchParams(values)) });
}

function shown(
  stage: ReportWorld,
  surface: string | undefined,
  session: string | undefined,
): ApiResponse {
  return post(stage, "/v1/impression", {
    publisher_id: stage.publisher.id,
    surface: surface ?? "",
    ad_id: "a",
    ...(session !== undefined && { session_id: session }),
  });
}

function paused(stage: ReportWorld, session: string | undefined): ApiResponse {
  const [surface] = stage.publisher.surfaces;
  const id = surface?.id ?? "";
  stage.sim.publishers.setSurface(stage.publisher.id, id, { status: "paused" });
  return shown(stage, id, session);
}

const requests: Readonly<Record<string, (stage: ReportWorld) => ApiResponse>> = {
  "an unknown surface": (stage) => shown(stage, "nowhere", "s"),
  "an unknown surface, without a session": (stage) => shown(stage, "nowhere", undefined),
  "a paused surface": (stage) => paused(stage, "s"),
  "a paused surface, without a session": (stage) => paused(stage, undefined),
  "an unknown impression": (stage) => post(stage, "/v1/click", { impression_id: "nothing" }),
  "an invalid date": (stage) => stage.stats({ from: "yesterday" }),
  "another publisher": (stage) => stage.stats({ publisher_id: stage.sim.publishers.at(1).id }),
};

const known: readonly string[] = ["hot-loop", "refused-and-sent-again"];
const rows = coveringArray({ strength: 2 });

test.each(Object.entries(requests))(
  "%s, refused 60 times, is a hot loop and refused-and-sent-again under all pairs of choices",
  (_, request) => {
    let refused = 0;
    for (const assumptions of rows) {
      const stage = reportWorldOf({ assumptions });
      const statuses = new Set<number>();
      stage.repeat(60, 3, () => statuses.add(request(stage).status));
      const isTaken = statuses.has(200);
      // Some choices accept it and then refuse its duplicates: that is a loop, and no invalid request.
      const expected = isTaken ? known.slice(0, statuses.size - 1) : known;
      const found = Object.keys(stage.found()).filter((id) => known.includes(id));
      expect(found, JSON.stringify([...statuses, assumptions])).toEqual(expected);
      if (!isTaken) refused += 1;
    }
    expect(refused).toBeGreaterThan(0);
  },
);
