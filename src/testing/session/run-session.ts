/** Runs a session: opens a world, makes the client, performs one command after the other, and closes both. */

import type { Simulator } from "../../adapters/create-simulator.ts";
import { InputError } from "../../base/input.ts";
import {
  type CreateDriver,
  checkedDriver,
  type Driver,
  membersOf,
  type Shown,
} from "../driver/driver.ts";
import { type Promised, promisesOf } from "../driver/promises.ts";
import { openTestWorld, type TestWorld, type TestWorldOptions } from "../driver/test-world.ts";
import { pause } from "../time/time.ts";
import {
  type ClientCommand,
  type Command,
  checkCommand,
  isOfClient,
  queryOf,
  type WorldCommand,
  withRetryDate,
} from "./command.ts";
import { copyOf, isChanged } from "./copy.ts";
import { namesOf } from "./names.ts";
import { type Arrived, sentIn } from "./sent.ts";
import type { Call, Change, Outcome, Session } from "./session.ts";
import { spend } from "./spend.ts";

/** A client is watched for an hour after it was closed. */
const AFTERWARDS_MS = 3_600_000;
/** A client that was closed has this long to clear its timers. */
const CLEARING_MS = 1000;

// More requests than one call needs, and a queued ad view with its clicks, including retries.
const MAX_REQUESTS = 250;
const REQUESTS_PER_VIEW = 60;
export const requestBudget = `${MAX_REQUESTS} requests a call, or ${REQUESTS_PER_VIEW} an ad view if that is more`;

/**
 * Has the client carry out these commands in a world of its own, and closes it in the end.
 *
 * @throws what a callback of a client's timer threw, once the session is over; InputError for an invalid option or command.
 */
export async function runSession<Impression>(
  createDriver: CreateDriver<Impression>,
  commands: readonly Command[],
  options: TestWorldOptions = {},
): Promise<Session> {
  const { session } = await runToEnd(createDriver, commands, options);
  if (session.threw !== undefined) throw session.threw.error;
  return session;
}

/** As `runSession`, but what a timer's callback threw is in the session. `sim`: its world, as it is in the end. */
export async function runToEnd<Impression>(
  createDriver: CreateDriver<Impression>,
  commands: readonly Command[],
  options: TestWorldOptions = {},
): Promise<{ readonly session: Session; readonly sim: Simulator }> {
  const world = await openTestWorld(options, drawsOf(commands));
  try {
    return { session: await sessionIn(world, createDriver, commands), sim: world.sim };
  } finally {
    // Restores the globals, also after an invalid command.
    await world.close();
  }
}

/** So many different draws are enough that a defect can't hide behind one of them. */
const DRAWS = 8;

/** Other commands mostly have other random numbers, the same ones always the same. */
function drawsOf(commands: readonly Command[]): string {
  return String(JSON.stringify(commands).length % DRAWS);
}

/** What is known so far. */
interface Run<Impression> {
  readonly world: TestWorld;
  driver: Driver<Impression> | undefined;
  readonly views: View<Impression>[];
  readonly calls: LiveCall[];
  readonly arrived: Arrived[];
  readonly changes: Change[];
  step: number;
}

/** An ad view, and what the client returned for it, as the client may still change it. */
interface View<Impression> {
  readonly shown: Shown;
  receipt?: { readonly value: Impression };
}

/** `live`: what the client gave, which it may change. */
type LiveCall = Call & { readonly live: unknown };

async function sessionIn<Impression>(
  world: TestWorld,
  createDriver: CreateDriver<Impression>,
  commands: readonly Command[],
): Promise<Session> {
  const { sim, publisher, surfaces, time } = world;
  const startMs = sim.clock.now();
  const run: Run<Impression> = {
    ...{ world, driver: undefined, views: [], calls: [], arrived: [], changes: [], step: -1 },
  };
  let promised: Promised = promisesOf(undefined);
  let mistake: InputError | undefined;
  const open = async (): Promise<void> => {
    try {
      const driver = checkedDriver(await createDriver(world.context));
      promised = promisesOf(driver);
      run.driver = driver;
    } catch (error) {
      if (error instanceof InputError) mistake = error;
      throw error;
    }
  };
  await perform(run, () => makeCalls(run, [{ command: { kind: "open" }, act: open }], 0));
  if (mistake !== undefined) throw mistake;
  for (const command of commands) await performCommand(run, command);
  // A client that can't be closed delivers its queue when it is flushed.
  if (run.driver?.close === undefined) await performCommand(run, { kind: "flush" });
  else if (!commands.some(({ kind }) => kind === "close"))
    await performCommand(run, { kind: "close" });
  let timersLeft: readonly number[] = [];
  // Watches whether the closed client still sends something.
  await perform(run, async () => {
    await time.pass(CLEARING_MS);
    timersLeft = time.pendingTimers();
    await change(run, { kind: "advance", byMs: AFTERWARDS_MS - CLEARING_MS });
  });
  const { impressions, clicks } = sim.audit().total;
  return {
    world: {
      ...{ publisher, surfaces, startMs, endMs: sim.clock.now() },
      recorded: { impressions: impressions.applied, clicks: clicks.applied },
    },
    assumptions: sim.assumptions,
    members: membersOf(run.driver),
    promised,
    isReal: sim.clock.mode !== "frozen",
    calls: run.calls.map(({ live, ...call }) => withLater(call, live)),
    // Read in the end: a client may leave while it waits for an answer, long after the step in which it sent the request.
    requests: run.arrived.flatMap((some) => sentIn(sim, some)),
    changes: run.changes,
    timersLeft,
    threw: world.threw,
  };
}

const results: readonly string[] = ["stats", "surfaces", "payouts", "flush", "close"];

function withLater(call: Call, live: unknown): Call {
  if (call.outcome.kind !== "done" || !results.includes(call.command.kind)) return call;
  return isChanged(call.outcome.value, live) ? { ...call, later: copyOf(live) } : call;
}

/** Counts the step, and notes which requests arrive meanwhile. */
async function perform<Impression>(
  run: Run<Impression>,
  act: () => Promise<unknown>,
): Promise<void> {
  const { sim } = run.world;
  const after = sim.journal.total;
  await act();
  const isOthers =
    run.changes.at(-1)?.step === run.step && run.changes.at(-1)?.command.kind === "spend";
  if (!isOthers) run.arrived.push({ after, until: sim.journal.total, step: run.step });
  run.step += 1;
}

/** @throws InputError for an invalid command. */
async function performCommand<Impression>(run: Run<Impression>, given: Command): Promise<void> {
  checkCommand(given);
  const command = withRetryDate(given, run.world.sim.clock.now());
  await perform(run, async () => {
    if (command.kind === "together") {
      const planned = command.commands.flatMap((one) => plannedCall(run, one) ?? []);
      await makeCalls(run, planned, command.apartMs ?? 0);
    } else if (isOfClient(command)) {
      const planned = plannedCall(run, command);
      if (planned !== undefined) await makeCalls(run, [planned], 0);
    } else await change(run, command);
  });
}

async function change<Impression>(run: Run<Impression>, command: WorldCommand): Promise<void> {
  const { world, step } = run;
  const { sim, time } = world;
  const atMs = sim.clock.now();
  let result: Change["result"];
  switch (command.kind) {
    case "advance":
      await time.pass(command.byMs);
      break;
    case "fault":
      result = sim.faults.add(command.rule).rule.id;
      break;
    case "heal":
      sim.faults.clear();
      break;
    case "spend":
      result = spend(world, command);
  }
  run.changes.push({ command, step, atMs, endMs: sim.clock.now(), result });
}

interface PlannedCall {
  readonly command: Call["command"];
  readonly shown?: Shown | undefined;
  readonly act: () => Promise<unknown>;
}

/** The call to make; undefined if there is nothing to click on, or the driver has no such method. */
function plannedCall<Impression>(
  { world, driver, views }: Run<Impression>,
  command: ClientCommand,
): PlannedCall | undefined {
  if (driver === undefined) return undefined;
  const { kind } = command;
  switch (kind) {
    case "impression": {
      const { surfaces } = world;
      const surface = surfaces[command.surface % surfaces.length]?.id ?? "";
      const names = namesOf(views.length + 1, command.spelling);
      const earlier = command.ad === undefined ? undefined : views[command.ad % views.length];
      const view = { shown: { surface, ...names, ad: earlier?.shown.ad ?? names.ad } };
      views.push(view);
      return reporting(driver, view, command);
    }
    case "again": {
      const view = views[command.impression % Math.max(1, views.length)];
      return view && reporting(driver, view, command);
    }
    case "click": {
      const known = views.filter(({ receipt }) => receipt !== undefined);
      const { shown, receipt } = known[command.impression % Math.max(1, known.length)] ?? {};
      const { click } = driver;
      if (receipt === undefined || click === undefined) return undefined;
      return { command, shown, act: async () => await click.call(driver, receipt.value) };
    }
    default: {
      const method: ((...query: object[]) => unknown) | undefined = driver[kind];
      if (method === undefined) return undefined;
      const query = kind === "flush" || kind === "close" ? [] : [queryOf(command, world.surfaces)];
      return { command, act: async () => await method.call(driver, ...query) };
    }
  }
}

function reporting<Impression>(
  driver: Driver<Impression>,
  view: View<Impression>,
  command: ClientCommand,
): PlannedCall {
  const act = async (): Promise<Impression> => {
    const value = await driver.impression({ ...view.shown });
    view.receipt = { value };
    return value;
  };
  return { command, shown: view.shown, act };
}

/** Makes all calls at once or `apartMs` after each other, and waits for all of them. */
async function makeCalls<Impression>(
  run: Run<Impression>,
  planned: readonly PlannedCall[],
  apartMs: number,
): Promise<void> {
  const { world, calls, step, views } = run;
  const { time, grant, sim } = world;
  const startMs = sim.clock.now();
  const ended = new Map<number, Pick<LiveCall, "outcome" | "endMs" | "live">>();
  const isFlooded = grant(
    Math.max(MAX_REQUESTS * planned.length, REQUESTS_PER_VIEW * views.length),
  );
  const works = planned.map(async ({ act }, at) => {
    if (at * apartMs > 0) await pause(time.timers, at * apartMs);
    const [live, outcome] = await act().then(
      (value): [unknown, Outcome] => [value, { kind: "done", value: copyOf(value) }],
      (error: unknown): [unknown, Outcome] => [error, { kind: "failed", error: copyOf(error) }],
    );
    ended.set(at, { outcome, live, endMs: sim.clock.now() });
  });
  const { kind } = await time.until(Promise.all(works));
  const unfinished: Outcome = { kind: isFlooded() ? "flooded" : kind === "over" ? "stuck" : kind };
  const endMs = sim.clock.now();
  for (const [at, { command, shown }] of planned.entries()) {
    const atMs = startMs + at * apartMs;
    const how = ended.get(at) ?? { outcome: unfinished, live: undefined, endMs };
    calls.push({ command, step, isTogether: planned.length > 1, shown, atMs, ...how });
  }
}
