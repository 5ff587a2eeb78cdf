/** Lives a client's life: opens a world, makes the client, does one command after the other, and closes it. */

import type { SimulatorCore } from "../../simulator/simulator.ts";
import type { CreateDriver, Driver } from "../driver/driver.ts";
import { openTestWorld, type TestWorld, type TestWorldOptions } from "../driver/test-world.ts";
import {
  type ClientCommand,
  type Command,
  isOfClient,
  queryOf,
  type WorldCommand,
} from "./command.ts";
import { namesOf } from "./names.ts";
import type { AdView, Outcome, Session, Step } from "./session.ts";
import { spend } from "./spend.ts";
import { type WireExchange, wireExchange } from "./wire.ts";

/** More requests than one command takes, retries and all. */
const MAX_REQUESTS = 250;
/** How long a client is watched after it was closed: an hour. */
const AFTERWARDS_MS = 3_600_000;

/** A life that isn't over yet. */
export interface RunningSession {
  readonly world: TestWorld;
  /** Does the next command. Never rejects for what the client does. */
  perform(command: Command): Promise<Step>;
  /** Closes the client and its world. @throws Error where that was done before. */
  end(): Promise<Session>;
  /** As far as it has come. */
  readonly session: Session;
}

/**
 * Lives it all. Closing comes last, whatever the commands are.
 *
 * @throws what a callback of the client's timers threw, once the life is over; InputError for an option that is wrong.
 */
export async function runSession<Impression>(
  createDriver: CreateDriver<Impression>,
  commands: readonly Command[],
  options: TestWorldOptions = {},
): Promise<Session> {
  const session = await runToEnd(createDriver, commands, options);
  if (session.threw !== undefined) throw session.threw.error;
  return session;
}

/** The same. What a callback of a timer threw is in the session. */
export async function runToEnd<Impression>(
  createDriver: CreateDriver<Impression>,
  commands: readonly Command[],
  options: TestWorldOptions = {},
): Promise<Session> {
  const life = await beginSession(createDriver, options);
  try {
    for (const command of commands) await life.perform(command);
    return await life.end();
  } catch (error) {
    // A command that can't be done. The machine gets back what is its own.
    await life.world.close();
    throw error;
  }
}

/** Opens the world, and has the client made. */
export async function beginSession<Impression>(
  createDriver: CreateDriver<Impression>,
  options: TestWorldOptions = {},
): Promise<RunningSession> {
  const world = await openTestWorld(options);
  const { sim, publisher, surfaces } = world;
  const { assumptions } = sim;
  const steps: Step[] = [];
  const showings: AdView[] = [];
  let driver: Driver<Impression> | undefined;
  let isOver = false;

  const makeDriver = async (): Promise<void> => {
    driver = await createDriver(world.context);
  };
  const close = async (): Promise<unknown> => await driver?.close?.();

  async function step(
    command: Step["command"],
    act: () => Promise<Pick<Step, "outcome" | "shown" | "parts">>,
  ): Promise<Step> {
    const atMs = sim.clock.now();
    const after = sim.journal.total;
    const done = await act();
    const exchanges = command.kind === "spend" ? [] : exchangesAfter(sim, after);
    const made = { command, atMs, endMs: sim.clock.now(), exchanges, ...done };
    steps.push(made);
    return made;
  }

  const session: Session = {
    sim,
    publisher,
    surfaces,
    assumptions,
    steps,
    showings,
    get exchanges(): readonly WireExchange[] {
      return steps.flatMap((one) => one.exchanges);
    },
    get threw() {
      return world.threw;
    },
  };
  await step({ kind: "open" }, async () => ({ outcome: await outcomeOf(world, makeDriver) }));

  return {
    world,
    session,
    perform: (command) =>
      step(command, async () => {
        if (command.kind !== "together" && !isOfClient(command))
          return { outcome: await performWorldCommand(world, command) };
        const missing = { outcome: { kind: "skipped", why: "there is no client" } as const };
        return driver === undefined
          ? missing
          : await performClientCommand({ world, driver, showings }, command);
      }),
    async end() {
      if (isOver) throw new Error("This life is over: begin another one.");
      isOver = true;
      await step({ kind: "close" }, async () => ({
        outcome:
          driver?.close === undefined
            ? { kind: "skipped", why: "the driver has no close" }
            : await outcomeOf(world, close),
      }));
      // A client that is closed has nothing left to do.
      await step({ kind: "afterwards" }, async () => {
        await world.time.pass(AFTERWARDS_MS);
        return { outcome: { kind: "done", value: undefined } };
      });
      await world.close();
      return session;
    },
  };
}

function exchangesAfter(sim: SimulatorCore, after: number): WireExchange[] {
  return sim.journal.entries({ after, secrets: "shown" }).map(wireExchange);
}

async function performWorldCommand(world: TestWorld, command: WorldCommand): Promise<Outcome> {
  const { sim, time } = world;
  let value: unknown;
  switch (command.kind) {
    case "advance":
      await time.pass(command.byMs);
      break;
    case "fault":
      value = sim.faults.add(command.rule).rule.id;
      break;
    case "heal":
      sim.faults.clear();
      break;
    case "spend":
      value = spend(world, command);
  }
  return { kind: "done", value };
}

/** What a command is done with. */
interface Running<Impression> {
  readonly world: TestWorld;
  readonly driver: Driver<Impression>;
  readonly showings: AdView[];
}

async function performClientCommand<Impression>(
  running: Running<Impression>,
  command: ClientCommand | Extract<Command, { kind: "together" }>,
): Promise<Pick<Step, "outcome" | "shown" | "parts">> {
  if (command.kind !== "together") {
    const { call, shown } = callOf(running, command);
    const outcome = call instanceof Function ? await outcomeOf(running.world, call) : call;
    return { outcome, shown };
  }
  const calls = command.commands.map((one) => ({ one, ...callOf(running, one) }));
  const atMs = running.world.sim.clock.now();
  const outcomes = await outcomesOf(
    running.world,
    calls.map(({ call }) => call),
  );
  const parts = calls.map(({ one, shown }, at): Step => {
    const outcome = outcomes[at] ?? { kind: "stuck" };
    return {
      command: one,
      atMs,
      endMs: running.world.sim.clock.now(),
      outcome,
      exchanges: [],
      shown,
    };
  });
  return { outcome: { kind: "done", value: undefined }, parts };
}

type Call = () => Promise<unknown>;

/** What is to be called, or why nothing is. */
function callOf<Impression>(
  { world, driver, showings }: Running<Impression>,
  command: ClientCommand,
): { readonly call: Call | Outcome; readonly shown?: AdView } {
  const { kind } = command;
  switch (kind) {
    case "impression": {
      const surface = world.surfaces[command.surface % world.surfaces.length]?.id ?? "";
      const number = showings.length + 1;
      const names = namesOf(number, command.spelling);
      const shown: AdView = { surface, ...names, receipt: undefined };
      showings.push(shown);
      return { call: showing(driver, shown), shown };
    }
    case "again":
    case "click": {
      const known = showings.filter(({ receipt }) => kind === "again" || receipt !== undefined);
      const shown = known[command.impression % Math.max(1, known.length)];
      if (shown === undefined) return { call: skipped("there is no impression") };
      if (kind === "again") return { call: showing(driver, shown), shown };
      const { click } = driver;
      if (click === undefined) return { call: skipped("the driver has no click") };
      // What `impression` gave: the driver's own.
      const receipt = shown.receipt?.value as Impression;
      return { call: async () => await click.call(driver, receipt), shown };
    }
    case "stats":
    case "surfaces":
    case "payouts":
      return { call: called(driver, kind, queryOf(command, world.surfaces)) };
    case "flush":
      return { call: called(driver, kind) };
  }
}

function showing<Impression>(driver: Driver<Impression>, shown: AdView): Call {
  const { surface, ad, session } = shown;
  return async () => {
    const value = await driver.impression({ surface, ad, session });
    shown.receipt = { value };
    return value;
  };
}

function called<Impression>(
  driver: Driver<Impression>,
  name: "stats" | "surfaces" | "payouts" | "flush",
  query: object = {},
): Call | Outcome {
  const method: ((query: object) => unknown) | undefined = driver[name];
  if (method === undefined) return skipped(`the driver has no ${name}`);
  return async () => await method.call(driver, query);
}

function skipped(why: string): Outcome {
  return { kind: "skipped", why };
}

async function outcomeOf(world: TestWorld, call: Call): Promise<Outcome> {
  const [outcome] = await outcomesOf(world, [call]);
  return outcome ?? { kind: "stuck" };
}

/** Calls all of them at once, and waits for all. */
async function outcomesOf(
  { time, grant }: TestWorld,
  calls: readonly (Call | Outcome)[],
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = calls.map((call) =>
    call instanceof Function ? undefined : call,
  );
  const isFlooded = grant(MAX_REQUESTS * calls.length);
  const works = calls.map(async (call, at) => {
    if (!(call instanceof Function)) return;
    try {
      outcomes[at] = { kind: "done", value: await call() };
    } catch (error) {
      outcomes[at] = { kind: "failed", error };
    }
  });
  const { kind } = await time.until(Promise.all(works));
  const unfinished = isFlooded() ? "flooded" : kind === "over" ? "stuck" : kind;
  return outcomes.map((outcome) => outcome ?? { kind: unfinished });
}
