/** What a route of the control API is: what it needs, what it gets, and what it replies. */

import type { Scenario } from "../play/language/scenario.ts";
import type { playInSlices } from "../play/player/in-process.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import type { Worlds } from "../simulator/worlds.ts";
import type { MetricFamily } from "../spec/metrics.ts";
import type { Work } from "../spec/work.ts";
import type { BodyBounds, Query } from "./input.ts";

/** A control request that fits a route. `body`: an empty object where none was sent. */
export interface Call {
  /** The world that the path names; looking at it makes it. */
  readonly world: HostedCore;
  readonly worlds: Worlds;
  readonly worldName: string;
  /** What the path of every request to this world begins with. */
  readonly prefix: string;
  readonly version: string;
  /** The Host header as it was sent. */
  readonly host: string | undefined;
  /** A part of the path by its name in the route, decoded. */
  part(name: string): string;
  readonly query: Query;
  readonly body: unknown;
  /** What the route needs. @throws InputError if it isn't loaded. */
  loaded<Name extends keyof ControlModules>(name: Name): ControlModules[Name];
  /** The same; undefined if it isn't loaded. */
  optional<Name extends keyof ControlModules>(name: Name): ControlModules[Name] | undefined;
}

/** What the routes of scenarios work with. */
export interface ScenarioPlayer {
  /** Those that come with adsim, in the order of their names. */
  readonly list: () => readonly { readonly name: string; readonly about: string }[];
  readonly find: (name: string) => Scenario | undefined;
  readonly play: typeof playInSlices;
}

/** What some routes work with and most servers never use. Adapters load it before they hand a request over. */
export interface ControlModules {
  readonly scenarios: ScenarioPlayer;
  readonly metrics: MetricsWriter;
}

/** Writes figures as Prometheus reads them; undefined where it can't. */
export type MetricsWriter = (
  families: readonly MetricFamily[],
  done: (written: { readonly contentType: string; readonly text: string } | undefined) => void,
) => void;

export type Reply =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "created"; readonly value: unknown; readonly location: string }
  | { readonly kind: "text"; readonly contentType: string; readonly text: string }
  | { readonly kind: "pieces"; readonly contentType: string; readonly pieces: Iterable<string> }
  | { readonly kind: "nothing" };

export interface ControlRoute extends BodyBounds {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sim/`; a part that begins with a colon stands for any. */
  readonly path: string;
  readonly query?: readonly string[];
  /** `optional`: everything in it is. @default "none" */
  readonly body?: "none" | "optional" | "required";
  /** What must have been loaded before it answers. @default nothing */
  readonly needs?: keyof ControlModules;
  /** What takes long is {@link Work}. @throws InputError, and nothing changed. */
  answer(call: Call): Reply | Work<Reply>;
}
