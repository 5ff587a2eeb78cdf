/** Defines a route of the control API: what it takes, what it may use, and that it answers. */

import type * as v from "valibot";
import type { Schema } from "../base/schemas.ts";
import type { PlayScenarioOptions } from "../play/play-scenario.ts";
import type { PlayResult } from "../play/player/result.ts";
import type { Scenario } from "../play/scenario/types.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { MaybeLater, WaitingClient, Worlds } from "../simulator/worlds.ts";
import type { FollowedResponse } from "../spec/messages.ts";
import type { MetricFamily } from "../spec/metrics.ts";

export interface ControlRoute<Query extends QuerySchemas = QuerySchemas, Body = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sim/`. A part that begins with a colon matches anything. */
  readonly path: string;
  readonly query?: Query;
  /** Without it, a request must have no body. `maxBytes`: 1 MiB by default. */
  readonly body?: {
    readonly schema: Schema<Body>;
    readonly maxBytes?: number;
    readonly optional?: true;
  };
  /** Without a response, the answer is 204. @throws InputError (or rejects); nothing has changed then. */
  answer(call: ControlCall<Query, Body>): MaybeLater<FollowedResponse | undefined>;
}

/** The parameters of a query. Each may be left out. */
export type QuerySchemas = Readonly<Record<string, Schema<unknown>>>;

/** A route by its method and path, with what it takes. */
export function route<const Query extends QuerySchemas, Body>(
  name: `${ControlRoute["method"]} ${string}`,
  takes: Pick<ControlRoute<Query, Body>, "query" | "body">,
  answer: ControlRoute<Query, Body>["answer"],
): ControlRoute {
  const [method, path = ""] = name.split(" ");
  // The type of `name` says which methods there are.
  return { method: method as ControlRoute["method"], path, ...takes, answer };
}

/** A request that matches a route. `body`: an empty object if an optional one wasn't sent. */
export interface ControlCall<Query extends QuerySchemas = QuerySchemas, Body = unknown> {
  /** The world that the path names. Reading this property creates it. */
  readonly world: HostedCore;
  readonly worlds: Worlds;
  readonly worldName: string;
  /** The prefix of every path in this world. */
  readonly prefix: string;
  /** The world's address as the client used it; undefined if the Host header isn't fit for a shell. */
  readonly baseUrl: string | undefined;
  /** A header field as it was sent, by its name in lower case. */
  header(name: string): string | undefined;
  /** A part of the path, decoded, by its name in the route. */
  part(name: string): string;
  readonly query: { readonly [Name in keyof Query]?: v.InferOutput<Query[Name]> };
  readonly body: Body;
  readonly client: WaitingClient;
  /** Tells the ids of this server's events from those of another one. */
  readonly serverId: string;
  readonly modules: ControlModules;
}

/** What the routes use from elsewhere. Code that most servers never need is loaded by the first request that does. */
export interface ControlModules {
  scenarios(): Promise<ScenarioPlayer>;
  inspector(): Promise<InspectorPage>;
  /** Writes metrics in the text format of Prometheus, with those of the process. */
  metrics(families: readonly MetricFamily[]): string;
}

export interface ScenarioPlayer {
  /** The scenarios that come with adsim, sorted by name. */
  readonly shipped: readonly Scenario[];
  /** Plays in a world, and lets other requests pass now and then. Stops if the client has left. */
  play(
    world: HostedCore,
    scenario: unknown,
    options: Pick<PlayScenarioOptions, "maxRequests" | "reproduce" | "onStep">,
    client: WaitingClient,
  ): Promise<PlayResult>;
}

/** The texts of the inspector. The document names the other two `inspector.js` and `inspector.css`. */
export interface InspectorPage {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}
