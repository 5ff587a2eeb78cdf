/** Defines a route of the control API: what it takes, what it may use, and how it answers. */

import type * as v from "valibot";
import type { Schema } from "../base/schemas.ts";
import type { Scenario } from "../play/scenario/types.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { MaybeLater, WaitingClient, WorldRef } from "../simulator/worlds.ts";
import type { FollowedResponse } from "../spec/messages.ts";
import type { MetricFamily } from "../spec/metrics.ts";

export interface ControlRoute<Query extends QuerySchemas = QuerySchemas, Body = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sim/`. A part that begins with a colon matches anything. */
  readonly path: string;
  readonly query?: Query;
  /** Without it, a request must have no body. A schema that accepts undefined makes the body optional. */
  readonly body?: Schema<Body>;
  /** The longest body, in bytes. @default 1048576 */
  readonly maxBytes?: number;
  /** Without a response, the answer is 204. @throws InputError (or rejects); nothing has changed then. */
  answer(call: ControlCall<Query, Body>): MaybeLater<FollowedResponse | undefined>;
}

/** The parameters of a query. Each may be left out. */
type QuerySchemas = Readonly<Record<string, Schema<unknown>>>;

/** A route by its method and path, with what it takes. */
export function route<const Query extends QuerySchemas, Body>(
  name: `${ControlRoute["method"]} ${string}`,
  takes: Pick<ControlRoute<Query, Body>, "query" | "body" | "maxBytes">,
  answer: ControlRoute<Query, Body>["answer"],
): ControlRoute {
  const [method, path = ""] = name.split(" ");
  // The type of `name` says which methods there are.
  return { method: method as ControlRoute["method"], path, ...takes, answer };
}

/** A request that matches a route. */
export interface ControlCall<Query extends QuerySchemas = QuerySchemas, Body = unknown>
  extends Pick<WorldRef, "worlds" | "prefix"> {
  /** The world that the path names. Reading this property creates it. */
  readonly world: HostedCore;
  readonly worldName: string;
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

/** What the routes use from elsewhere. What most servers never need is loaded by the first request that does. */
export interface ControlModules {
  /** The scenarios that come with adsim, sorted by name. */
  scenarios(): Promise<readonly Scenario[]>;
  /** The texts of the inspector. The document names the other two `inspector.js` and `inspector.css`. */
  inspector(): Promise<Readonly<Record<"html" | "script" | "style", string>>>;
  /** Writes metrics in the text format of Prometheus, with those of the process. */
  metrics(families: readonly MetricFamily[]): string;
}
