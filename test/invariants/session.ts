/** A session with something for every invariant to look at: repeats, clicks, refusals, a limit that is reached, days that pass. */

import type { ApiRequest } from "../../src/index.ts";
import { createRandom, type Random } from "./random.ts";
import type { Stage } from "./stage.ts";

type Values = Readonly<Record<string, string>>;

export function playSession(stage: Stage, seed: number, requests = 250): void {
  const random = createRandom(seed);
  const ids: string[] = [];
  for (let sent = 0; sent < requests; sent += 1) {
    const pause = random.pick([0, 0, 0, 0, 1, 997, 29_000, 61_000, 1_799_999, 7_200_000]);
    if (pause > 0) stage.sim.clock.advance(pause);
    const { text } = stage.send(requestOf(stage, random, ids));
    const [, id] = /"impression_id":"([^"]+)"/.exec(text) ?? [];
    if (id !== undefined) ids.push(id);
    if (sent % 60 === 59) change(stage, random);
  }
  reachLimit(stage);
}

function requestOf(stage: Stage, random: Random, ids: readonly string[]): ApiRequest {
  const { members } = stage;
  const member = random.pick(members);
  const surfaces = member.surfaces.slice(0, 2).map(({ id }) => id);
  const kind = random.pick([
    "impression",
    "impression",
    "impression",
    "click",
    "click",
    "read",
    "wrong",
  ]);
  switch (kind) {
    case "click":
      return post(stage, member.apiKey, "/v1/click", {
        impression_id: random.pick([...ids.slice(-3), ids.at(-1)?.slice(0, -1) ?? "none"]),
      });
    case "read":
      return get(member.apiKey, random.pick(["stats", "surfaces", "payouts"]), {
        publisher_id: member.id,
      });
    case "wrong":
      return wrong(stage, random, member);
    default: {
      const session = random.pick(["a", "b", "c", ""]);
      return post(stage, member.apiKey, "/v1/impression", {
        publisher_id: member.id,
        surface: random.pick(surfaces),
        ad_id: random.pick(["one", "two"]),
        ...(session === "" ? {} : { session_id: session }),
      });
    }
  }
}

function wrong(stage: Stage, random: Random, { id, apiKey }: Stage["members"][number]): ApiRequest {
  const other = stage.members.find((one) => one.id !== id) ?? { id: "nobody" };
  return random.pick([
    get("key_nobody000000", "stats", { publisher_id: id }),
    get(apiKey, "stats", { publisher_id: other.id }),
    get(apiKey, "payouts", { publisher_id: id, limit: "0" }),
    get(apiKey, "stats", { publisher_id: id, from: "never" }),
    { ...get(apiKey, "stats", { publisher_id: id }), method: "HEAD" },
    { ...get(apiKey, "stats", { publisher_id: id }), method: "PUT" },
    { method: "GET", path: "/v1/nothing", headers: { authorization: `Bearer ${apiKey}` } },
    { ...get(apiKey, "surfaces", { publisher_id: id }), path: "/v1/publisher/surfaces/" },
    {
      ...get(apiKey, "surfaces", { publisher_id: id }),
      headers: { Authorization: `bearer ${apiKey}` },
    },
    post(stage, apiKey, "/v1/impression", { publisher_id: id, surface: "nowhere", ad_id: "x" }),
    post(stage, apiKey, "/v1/impression", {
      publisher_id: other.id,
      surface: "nowhere",
      ad_id: "x",
    }),
    post(stage, apiKey, "/v1/click", { impression_id: "none" }),
  ]);
}

/** What a scenario does besides sending requests. */
function change({ sim, trace, members }: Stage, random: Random): void {
  const [place] = [random.below(members.length)];
  const member = members[place];
  const surface = member?.surfaces[0];
  if (member === undefined || surface === undefined) return;
  if (random.below(2) === 0) {
    members[place] = sim.publishers.rotateKey(member.id);
    trace.recordMember(members[place]);
    return;
  }
  const status = random.pick(["active", "paused"]);
  const change = {
    status,
    cpmRange: random.pick([
      [12, 30],
      [80, 90],
    ] as const),
  };
  sim.publishers.setSurface(member.id, surface.id, change);
  trace.recordSurface(surface.id, change);
}

function reachLimit(stage: Stage): void {
  const [member] = stage.members;
  if (member === undefined) return;
  for (let sent = 0; sent < 64; sent += 1)
    stage.send(get(member.apiKey, "stats", { publisher_id: member.id }));
  stage.sim.clock.advance(10_500);
  for (let sent = 0; sent < 12; sent += 1)
    stage.send(get(member.apiKey, "stats", { publisher_id: member.id }));
}

export function get(apiKey: string, operation: string, query: Values): ApiRequest {
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "GET", path: `/v1/publisher/${operation}`, query, headers };
}

/** In an encoding that the service accepts. */
function post({ sim }: Stage, apiKey: string, path: string, values: Values): ApiRequest {
  const headers = { authorization: `Bearer ${apiKey}` };
  const encoding: string = sim.assumptions["request.encoding"];
  if (encoding === "query") return { method: "POST", path, headers, query: values };
  const isForm = encoding === "form";
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const body = isForm ? new URLSearchParams(values).toString() : JSON.stringify(values);
  return { method: "POST", path, headers: { ...headers, "content-type": type }, body };
}
