/** The worlds of a trace, and the control API on them. A world is rebuilt when it is first asked for. */

import { endOfName } from "../base/world-path.ts";
import { createControl } from "../control/control.ts";
import { createRuleList } from "../faults/rule-list.ts";
import type { SimulatorOptions } from "../simulator/simulator-options.ts";
import { createWorlds, DEFAULT_WORLD, worldOf } from "../simulator/worlds.ts";
import type { ApiResponse } from "../spec/messages.ts";
import type { PersonGenerator } from "../world/publishers/people.ts";
import { type EngineTime, functionFor, rebuild } from "./engine-world.ts";
import type { Trace, TracedOptions, TracedPerson, WorldTrace } from "./trace-form.ts";

export interface Engine {
  readonly title: string;
  /** The world to show first. */
  readonly world: string;
  /** Answers like the server, but never makes up a world: those that don't exist get 412. `path` begins with `/_sim/` or `/@NAME/_sim/`, and may have a query. */
  handle(request: EngineRequest): ApiResponse;
  /** Notes on a world's recording, one sentence each. */
  notes(world: string): readonly string[];
}

export interface EngineRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
}

const HIDDEN_NOTE =
  "In fault rules, their answers or names, text that may be secret was replaced before saving.";

export function createEngine(trace: Trace): Engine {
  const time: EngineTime = { wallMs: 0, decided: undefined };
  const worlds = createWorlds({
    options: optionsOf(trace.options, time),
    host: { people: () => personIn(trace.people) },
    control: createControl(),
  });
  const waiting = new Map(trace.worlds.map((one) => [one.name, one]));
  const notes = new Map<string, readonly string[]>();

  function ensure(name: string): void {
    const one = waiting.get(name);
    if (one === undefined) return;
    waiting.delete(name);
    const found = [...rebuilt(one), ...(one.hasHiddenTexts ? [HIDDEN_NOTE] : [])];
    notes.set(name, found);
  }

  function rebuilt(one: WorldTrace): readonly string[] {
    try {
      return rebuild(one, worlds, time);
    } catch (error) {
      return [`This world can't be rebuilt: ${error instanceof Error ? error.message : error}`];
    }
  }

  return {
    title: trace.title,
    world: waiting.has(DEFAULT_WORLD) ? DEFAULT_WORLD : (trace.worlds[0]?.name ?? DEFAULT_WORLD),
    handle({ method, path, headers, body }) {
      const world = worldOf(path);
      for (const name of [world, ...othersNamedBy(path, body)]) ensure(name);
      if (worlds.peek(world) === undefined) return { status: 412, headers: {}, body: "" };
      const response = worlds.handle({ method, path, headers, body });
      // No time passes in a file, so no clock may say that it runs.
      if (method !== "GET") for (const name of worlds.names()) worlds.peek(name)?.standStill();
      const isListing = method === "GET" && restOf(path) === "worlds" && response.status === 200;
      return isListing ? withWaiting(response, waiting) : response;
    },
    notes(name) {
      ensure(name);
      return notes.get(name) ?? [];
    },
  };
}

function optionsOf(traced: TracedOptions, time: EngineTime): SimulatorOptions {
  // Gives functions their ids, as every world does.
  const rules = createRuleList(traced.seed);
  const faults = traced.faults.map((rule) => {
    const { id } = rules.add(rule ?? (() => undefined), 0, () => undefined);
    return rule ?? functionFor(id, time);
  });
  return { ...traced, faults, wallClock: () => time.wallMs };
}

function personIn(people: readonly TracedPerson[]): PersonGenerator {
  const keyOf = (...parts: Parameters<PersonGenerator>): string => JSON.stringify(parts);
  const known = new Map(
    people.map((one) => [keyOf(one.seed, one.profile, one.ordinal), one] as const),
  );
  return (...parts) => {
    const name = `publisher-${parts[2]}`;
    const { contact, ...person } = known.get(keyOf(...parts)) ?? {
      name: `Publisher ${parts[2]}`,
      contact: { name, email: `${name}@example.com` },
      upiId: `${name}@invalid`,
    };
    return { name: person.name, contact, upiId: person.upiId };
  };
}

/** The path below `/_sim/`, without a query. */
function restOf(path: string): string {
  const inWorld = path.startsWith("/@") ? path.slice(endOfName(path)) : path;
  return inWorld.replace(/^\/_sim\//, "").replace(/\?.*$/s, "");
}

/** The worlds that a request forks, makes or deletes. */
function othersNamedBy(path: string, body: string | undefined): readonly string[] {
  const [first, name] = restOf(path).split("/");
  if (first !== "worlds") return [];
  if (name !== undefined) return [name];
  try {
    const { name: made, from } = JSON.parse(body ?? "{}");
    return [String(made), String(from)];
  } catch {
    return [];
  }
}

/** Adds the worlds that aren't rebuilt yet to a listing. */
function withWaiting(response: ApiResponse, waiting: ReadonlyMap<string, WorldTrace>): ApiResponse {
  const listing = JSON.parse(response.body);
  const summaries = Array.from(waiting.values(), ({ summary }) => summary);
  return {
    ...response,
    body: JSON.stringify({ ...listing, worlds: [...listing.worlds, ...summaries] }),
  };
}
