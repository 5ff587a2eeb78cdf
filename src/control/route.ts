/** Defines a route of the control API: what it gets, what it can load, and what it replies. */

import type { Scenario } from "../play/language/scenario.ts";
import type { playInSlices } from "../play/player/play-in-process.ts";
import type { HostedCore } from "../simulator/simulator.ts";
import type { Worlds } from "../simulator/worlds.ts";
import type { MetricFamily } from "../spec/metrics.ts";
import type { LongResponse, Work } from "../spec/work.ts";
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
  readonly streams: EventStreams;
  /** A part of the path, decoded, by its name in the route. */
  part(name: string): string;
  readonly query: Query;
  readonly body: unknown;
  /** Loads a module; undefined if that is impossible now. */
  load<Name extends keyof ControlModules>(name: Name): Work<ControlModules[Name] | undefined>;
}

/** The event streams of a server. */
export interface EventStreams {
  open: number;
  /** Names the state that the world's journal goes on from: another one after each restart, for each world and server. */
  stateOf(world: HostedCore): string;
}

export interface ScenarioPlayer {
  /** The scenarios that come with adsim, sorted by name. */
  readonly list: () => readonly { readonly name: string; readonly about: string }[];
  readonly find: (name: string) => Scenario | undefined;
  readonly play: typeof playInSlices;
  /** @throws InputError that names what is wrong in a scenario. */
  readonly check: (scenario: unknown) => void;
}

/** Modules that most servers never use. The first request that needs one loads it. */
export interface ControlModules {
  readonly scenarios: ScenarioPlayer;
  readonly metrics: MetricsWriter;
  readonly inspector: InspectorPage;
}

/** The texts of the inspector. The document names the other two `inspector.js` and `inspector.css`. */
export interface InspectorPage {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

/** Passes the module to `done`, at once if it is loaded already. */
export type ControlLoader = <Name extends keyof ControlModules>(
  name: Name,
  done: (module: ControlModules[Name] | undefined) => void,
) => void;

/** Writes metrics in the format of Prometheus; `done` gets undefined if that fails. */
export type MetricsWriter = (
  families: readonly MetricFamily[],
  done: (written: { readonly contentType: string; readonly text: string } | undefined) => void,
) => void;

export type Reply =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "created"; readonly value: unknown; readonly location: string }
  | {
      readonly kind: "text";
      readonly contentType: string;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly kind: "pieces";
      /** @default "application/json" */
      readonly contentType?: string;
      readonly pieces: Iterable<string>;
    }
  /** What happened, and what happens until the client leaves if it is open-ended. */
  | {
      readonly kind: "events";
      readonly events: NonNullable<LongResponse["rest"]>;
      /** The last entry that the client has. */
      /** The first id. */
      readonly id: string;
      readonly isOpenEnded: boolean;
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
  /** Returns {@link Work} if it takes long. @throws InputError; nothing has changed then. */
  answer(call: ControlCall): Reply | Work<Reply>;
}
