/** What a route of the control API is: what it needs, what it gets, and what it replies. */

import type { Scenario } from "../play/language/scenario.ts";
import type { playInSlices } from "../play/player/play-in-process.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import type { Worlds } from "../simulator/worlds.ts";
import type { MetricFamily } from "../spec/metrics.ts";
import type { Work } from "../spec/work.ts";
import type { BodyBounds, Query } from "./input.ts";

/** A control request that fits a route. `body`: an empty object where none was sent. */
export interface ControlCall {
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
  /** Gives what the route needs; undefined if it can't be had now. */
  load<Name extends keyof ControlModules>(name: Name): Work<ControlModules[Name] | undefined>;
}

/** What the routes of scenarios work with. */
export interface ScenarioPlayer {
  /** Those that come with adsim, in the order of their names. */
  readonly list: () => readonly { readonly name: string; readonly about: string }[];
  readonly find: (name: string) => Scenario | undefined;
  readonly play: typeof playInSlices;
}

/** What some routes work with and most servers never use: loaded with the first request that needs it. */
export interface ControlModules {
  readonly scenarios: ScenarioPlayer;
  readonly metrics: MetricsWriter;
}

/** Loads one of them. `done` gets it: at once where it is there already. */
export type ControlLoader = <Name extends keyof ControlModules>(
  name: Name,
  done: (module: ControlModules[Name] | undefined) => void,
) => void;

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
  /** What takes long is {@link Work}. @throws InputError, and nothing changed. */
  answer(call: ControlCall): Reply | Work<Reply>;
}
