/** Runs a session: opens a world, makes the client, performs one command after the other, and closes both. */

import type { SimulatorCore } from "../../simulator/core.ts";
import { type CreateDriver, checkedDriver, type Driver } from "../driver/driver.ts";
import { promisesOf } from "../driver/promises.ts";
import { openTestWorld, type TestWorld, type TestWorldOptions } from "../driver/test-world.ts";
import {
  type ClientCommand,
  type Command,
  checkCommand,
  isOfClient,
  type QueryKind,
  queryOf,
  type WorldCommand,
  withRetryDate,
} from "./command.ts";
import { namesOf } from "./names.ts";
import { type Call, outcomeOf, outcomesOf } from "./outcomes.ts";
import type { AdView, Outcome, Session, Step } from "./session.ts";
import { spend } from "./spend.ts";
import { type WireExchange, wireExchange } from "./wire-exchange.ts";

/** A client is watched for an hour after it was closed. */
const AFTERWARDS_MS = 3_600_000;
/** A client that was closed has this long to clear its timers. */
const CLEARING_MS = 1000;

/** A session that isn't over yet. */
export interface RunningSession {
  readonly world: TestWorld;
  /** Performs the next command. An error of the client becomes an outcome. @throws InputError for an invalid command. */
  perform(command: Command): Promise<Step>;
  /** Closes the client, unless a command did that, and its world. @throws Error if called twice. */
  end(): Promise<Session>;
  /** The session so far. */
  readonly session: Session;
}

/**
 * Runs a whole session, and closes the client in the end.
 *
 * @throws what a callback of a client's timer threw, once the session is over; InputError for an invalid option.
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

/** As `runSession`, but doesn't throw what a timer's callback threw: that is in the session. */
export async function runToEnd<Impression>(
  createDriver: CreateDriver<Impression>,
  commands: readonly Command[],
  options: TestWorldOptions = {},
): Promise<Session> {
  const running = await beginSession(createDriver, options, drawsOf(commands));
  try {
    for (const command of commands) await running.perform(command);
  } catch (error) {
    // An invalid command. Closing the world restores the globals.
    await running.world.close();
    throw error;
  }
  return await running.end();
}

/** So many different draws are enough that a defect can't hide behind one of them. */
const DRAWS = 8;

/** Other commands mostly have other random numbers, the same ones always the same. */
function drawsOf(commands: readonly Command[]): string {
  return String(JSON.stringify(commands).length % DRAWS);
}

/** Opens the world and makes the client. */
export async function beginSession<Impression>(
  createDriver: CreateDriver<Impression>,
  options: TestWorldOptions = {},
  draws = "",
): Promise<RunningSession> {
  const world = await openTestWorld(options, draws);
  const { sim, publisher, surfaces } = world;
  const { assumptions } = sim;
  const steps: Step[] = [];
  const views: AdView[] = [];
  let driver: Driver<Impression> | undefined;
  let promised = promisesOf(undefined);
  let isOver = false;
  let timersAfterClose: readonly number[] = [];

  const makeDriver = async (): Promise<void> => {
    driver = checkedDriver(await createDriver(world.context));
    promised = promisesOf(driver);
  };

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
    views,
    get promised() {
      return promised;
    },
    get timersAfterClose() {
      return timersAfterClose;
    },
    get exchanges(): readonly WireExchange[] {
      return steps.flatMap((one) => one.exchanges);
    },
    get threw() {
      return world.threw;
    },
  };
  await step({ kind: "open" }, async () => ({ outcome: await outcomeOf(world, makeDriver) }));

  const perform = async (given: Command): Promise<Step> => {
    checkCommand(given);
    const command = withRetryDate(given, sim.clock.now());
    return await step(command, async () => {
      if (command.kind !== "together" && !isOfClient(command))
        return { outcome: await performWorldCommand(world, command) };
      if (driver === undefined) return { outcome: skipped("there is no client") };
      return await performClientCommand({ world, driver, views }, command);
    });
  };

  return {
    world,
    session,
    perform,
    async end() {
      if (isOver) throw new Error("This session is over: begin another one.");
      isOver = true;
      try {
        const isClosed = steps.some(({ command }) => command.kind === "close");
        if (!isClosed) await perform({ kind: "close" });
        // Watches whether the closed client still sends something.
        await step({ kind: "afterwards" }, async () => {
          await world.time.pass(CLEARING_MS);
          timersAfterClose = world.time.pendingTimers();
          await world.time.pass(AFTERWARDS_MS - CLEARING_MS);
          return { outcome: { kind: "done", value: undefined } };
        });
      } finally {
        await world.close();
      }
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

interface Running<Impression> {
  readonly world: TestWorld;
  readonly driver: Driver<Impression>;
  readonly views: AdView[];
}

async function performClientCommand<Impression>(
  running: Running<Impression>,
  command: ClientCommand | Extract<Command, { kind: "together" }>,
): Promise<Pick<Step, "outcome" | "shown" | "parts">> {
  if (command.kind !== "together") {
    const { call, shown } = callOf(running, command);
    const outcome =
      call instanceof Function
        ? await outcomeOf(running.world, call, { views: running.views.length })
        : call;
    return { outcome, shown };
  }
  const calls = command.commands.map((one) => ({ one, ...callOf(running, one) }));
  const ended = await outcomesOf(
    running.world,
    calls.map(({ call }) => call),
    { apartMs: command.apartMs, views: running.views.length },
  );
  const parts = calls.flatMap(({ one, shown }, at): Step[] => {
    const part = ended[at];
    return part === undefined ? [] : [{ command: one, ...part, exchanges: [], shown }];
  });
  return { outcome: { kind: "done", value: undefined }, parts };
}

/** The call to make, or the outcome if there is none to make. */
function callOf<Impression>(
  { world, driver, views }: Running<Impression>,
  command: ClientCommand,
): { readonly call: Call | Outcome; readonly shown?: AdView } {
  const { kind } = command;
  switch (kind) {
    case "impression": {
      const surface = world.surfaces[command.surface % world.surfaces.length]?.id ?? "";
      const number = views.length + 1;
      const names = namesOf(number, command.spelling);
      const earlier = command.ad === undefined ? undefined : views[command.ad % views.length];
      const shown: AdView = { surface, ...names, ad: earlier?.ad ?? names.ad, receipt: undefined };
      views.push(shown);
      return { call: viewCall(driver, shown), shown };
    }
    case "again":
    case "click": {
      const known = views.filter(({ receipt }) => kind === "again" || receipt !== undefined);
      const shown = known[command.impression % Math.max(1, known.length)];
      if (shown === undefined) return { call: skipped("there is no impression") };
      if (kind === "again") return { call: viewCall(driver, shown), shown };
      const { click } = driver;
      if (click === undefined) return { call: skipped("the driver has no click") };
      // The value came from this driver's `impression`.
      const receipt = shown.receipt?.value as Impression;
      return { call: async () => await click.call(driver, receipt), shown };
    }
    case "stats":
    case "surfaces":
    case "payouts":
      return { call: called(driver, kind, queryOf(command, world.surfaces)) };
    case "flush":
    case "close":
      return { call: called(driver, kind) };
  }
}

function viewCall<Impression>(driver: Driver<Impression>, shown: AdView): Call {
  const { surface, ad, session } = shown;
  return async () => {
    const value = await driver.impression({ surface, ad, session });
    shown.receipt = { value };
    return value;
  };
}

function called<Impression>(
  driver: Driver<Impression>,
  name: QueryKind | "flush" | "close",
  ...query: readonly object[]
): Call | Outcome {
  const method: ((...query: object[]) => unknown) | undefined = driver[name];
  if (method === undefined) return skipped(`the driver has no ${name}`);
  return async () => await method.call(driver, ...query);
}

function skipped(why: string): Outcome {
  return { kind: "skipped", why };
}
