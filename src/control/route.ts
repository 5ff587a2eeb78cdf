/** Defines a route of the control API: what it gets, what it can load, and what it replies. */

import type { PlayScenarioOptions } from "../play/play-scenario.ts";
import type { PlayResult } from "../play/player/result.ts";
import type { Scenario } from "../play/scenario/types.ts";
import type { HostedCore } from "../simulator/core.ts";
import type { MaybeLater, WaitingClient, Worlds } from "../simulator/worlds.ts";
import type { FollowedResponse } from "../spec/messages.ts";
import type { MetricFamily } from "../spec/metrics.ts";
import type { BodyBounds, Query } from "./input.ts";

/** A control request that matches a route. `body`: an empty object if none was sent. */
export interface ControlCall {
  /** The world that the path names. Reading this property creates it. */
  readonly world: HostedCore;
  readonly worlds: Worlds;
  readonly worldName: string;
  /** The prefix of every path in this world. */
  readonly prefix: string;
  /** A header field as it was sent, by its name in lower case. */
  header(name: string): string | undefined;
  readonly client: WaitingClient;
  /** Names the state that a world's journal goes on from: another one after each restart, for each world and server. */
  stateOf(world: HostedCore): string;
  /** A part of the path, decoded, by its name in the route. */
  part(name: string): string;
  readonly query: Query;
  readonly body: unknown;
  readonly modules: ControlModules;
}

export interface ScenarioPlayer {
  /** The scenarios that come with adsim, sorted by name. */
  readonly list: () => readonly { readonly name: string; readonly about: string }[];
  readonly find: (name: string) => Scenario | undefined;
  /** Plays in a world, and lets other requests pass now and then. Stops if the client has left. */
  readonly play: (
    world: HostedCore,
    scenario: unknown,
    options: Pick<PlayScenarioOptions, "maxRequests" | "reproduce" | "onStep">,
    client: WaitingClient,
  ) => Promise<PlayResult>;
  /** @throws InputError that names what is wrong in a scenario. */
  readonly check: (scenario: unknown) => void;
}

/** Modules that most servers never use. The first request that needs one loads it. In process there are none. */
export interface ControlModules {
  readonly scenarios?: () => Promise<ScenarioPlayer>;
  readonly metrics?: () => Promise<MetricsWriter>;
  readonly inspector?: () => Promise<InspectorPage>;
}

/** The texts of the inspector. The document names the other two `inspector.js` and `inspector.css`. */
export interface InspectorPage {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

/** Writes metrics in the format of Prometheus. */
export type MetricsWriter = (
  families: readonly MetricFamily[],
) => Promise<{ readonly contentType: string; readonly text: string }>;

export type Reply =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "created"; readonly value: unknown; readonly location: string }
  | {
      readonly kind: "text";
      readonly contentType: string;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  /** `text`: what happened; `more`: what happens from then on, if the client wants to follow. */
  | {
      readonly kind: "events";
      readonly text: string;
      readonly more: FollowedResponse["more"];
    }
  | { readonly kind: "nothing" };

export interface ControlRoute extends BodyBounds {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sim/`. A part that begins with a colon matches anything. */
  readonly path: string;
  /** Other clients get 404, as if there were nothing. @default false */
  readonly isForBrowsers?: boolean;
  readonly query?: readonly string[];
  /** @default "none" */
  readonly body?: "none" | "optional" | "required";
  /** @throws InputError (or rejects); nothing has changed then. */
  answer(call: ControlCall): MaybeLater<Reply>;
}
