/** Runs a session: opens a world, makes the client, performs one command after the other, and closes both. */

import type { Simulator } from "../../adapters/create-simulator.ts";
import { InputError } from "../../base/input.ts";
import { buildRequest, encodingOf } from "../../spec/build-request.ts";
import {
  type CreateDriver,
  checkedDriver,
  type Driver,
  membersOf,
  type Promised,
  promisesOf,
  type Shown,
} from "../driver/driver.ts";
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
import { namesOf } from "./names.ts";
import { sentIn } from "./sent.ts";
import {
  type Call,
  type Change,
  copyOf,
  isChanged,
  type Outcome,
  type Sent,
  type Session,
} from "./session.ts";

/** A client is watched for an hour after it was closed. */
const AFTERWARDS_MS = 3_600_000;
/** A client that was closed has this long to clear its timers. */
const CLEARING_MS = 1000;

// More requests than one call needs, and a queued ad view with its clicks, including retries.
const MAX_REQUESTS = 250;
const REQUESTS_PER_VIEW = 60;
export const requestBudget = `${MAX_REQUESTS} requests a call, or ${REQUESTS_PER_VIEW} an ad view if that is more`;

/** More than any limit admits in a minute. */
const MAX_SPENT = 20_000;

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
export async function runToEnd(
  createDriver: CreateDriver,
  commands: readonly Command[],
  options: TestWorldOptions = {},
): Promise<{ readonly session: Session; readonly sim: Simulator }> {
  for (const command of commands) checkCommand(command);
  const world = await openTestWorld(options, drawsOf(commands));
  try {
    return { session: await sessionIn(world, createDriver, commands), sim: world.sim };
  } finally {
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
interface Run {
  readonly world: TestWorld;
  readonly createDriver: CreateDriver;
  driver: Driver | undefined;
  promised: Promised;
  readonly views: Shown[];
  /** What the client returned for a view, as it may still change it. */
  readonly receipts: Map<Shown, unknown>;
  readonly calls: LiveCall[];
  readonly changes: Change[];
  /** How many requests had arrived at the end of each step. The first one, -1, is that of `open`. */
  readonly ends: number[];
}

/** `live`: what the client gave, which it may change. */
type LiveCall = Call & { readonly live: unknown };

async function sessionIn(
  world: TestWorld,
  createDriver: CreateDriver,
  commands: readonly Command[],
): Promise<Session> {
  const { sim, publisher, surfaces, time } = world;
  const startMs = sim.clock.now();
  const run: Run = {
    ...{ world, createDriver, driver: undefined, promised: promisesOf(undefined) },
    ...{ views: [], receipts: new Map(), calls: [], changes: [], ends: [] },
  };
  await perform(run, { kind: "open" });
  const [opened] = run.calls;
  if (opened?.live instanceof InputError) throw opened.live;
  for (const command of commands) await perform(run, command);
  // A client that can't be closed delivers its queue when it is flushed.
  if (run.driver?.close === undefined) await perform(run, { kind: "flush" });
  else if (!commands.some(({ kind }) => kind === "close")) await perform(run, { kind: "close" });
  // Watches whether the closed client still sends something.
  await time.pass(CLEARING_MS);
  const timersLeft = time.pendingTimers();
  await perform(run, { kind: "advance", byMs: AFTERWARDS_MS - CLEARING_MS });
  const { impressions, clicks } = sim.audit().total;
  return {
    world: {
      ...{ publisher, surfaces, startMs, endMs: sim.clock.now() },
      recorded: { impressions: impressions.applied, clicks: clicks.applied },
    },
    assumptions: sim.assumptions,
    members: membersOf(run.driver),
    promised: run.promised,
    isReal: sim.clock.mode !== "frozen",
    calls: run.calls.map(withLater),
    requests: requestsOf(run),
    changes: run.changes,
    timersLeft,
    threw: world.threw,
  };
}

async function perform(run: Run, command: Command | Call["command"]): Promise<void> {
  if (command.kind === "together") await makeCalls(run, command.commands, command.apartMs);
  else if (command.kind === "open" || isOfClient(command)) await makeCalls(run, [command]);
  else await change(run, command);
  run.ends.push(run.world.sim.journal.total);
}

function withLater({ live, ...call }: LiveCall): Call {
  const { outcome } = call;
  if (outcome.kind !== "done" || !isChanged(outcome.value, live)) return call;
  return { ...call, later: copyOf(live) };
}

/** Read in the end: a client may leave while it waits for an answer, long after the step in which it sent the request. */
function requestsOf({ world, changes, ends }: Run): Sent[] {
  const spending = changes.filter(({ command }) => command.kind === "spend");
  const ofOthers = new Set(spending.map(({ step }) => step));
  return sentIn(world.sim, (sequence) => {
    const step = ends.findIndex((end) => sequence <= end) - 1;
    return ofOthers.has(step) ? undefined : step;
  });
}

async function change(run: Run, given: WorldCommand): Promise<void> {
  const { sim, time } = run.world;
  const atMs = sim.clock.now();
  const step = run.ends.length - 1;
  const command = withRetryDate(given, atMs);
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
      result = spend(run.world, command);
  }
  const acted = sim.faults.list().flatMap(({ id, fired }) => (fired > 0 ? [id] : []));
  run.changes.push({ command, step, atMs, endMs: sim.clock.now(), result, acted });
}

/** Has another program with the client's key send until the limit has only `left` left. @returns how many requests that takes. */
function spend(
  { sim, publisher: { id, apiKey }, surfaces }: TestWorld,
  { left, of }: Extract<WorldCommand, { kind: "spend" }>,
): number {
  const sending = { key: apiKey, encoding: encodingOf(sim.assumptions) };
  const shown = { surface: surfaces[0]?.id, ad_id: "another-ad", session_id: "another-session" };
  const request =
    of === "recording"
      ? buildRequest("impression", { publisher_id: id, ...shown }, sending)
      : buildRequest("stats", { publisher_id: id }, sending);
  for (let sent = 1; ; sent += 1) {
    const remaining = Number(sim.handle(request).headers["x-ratelimit-remaining"] ?? 0);
    if (remaining <= left || sent === MAX_SPENT) return sent;
  }
}

interface PlannedCall {
  readonly command: Call["command"];
  readonly shown?: Shown | undefined;
  readonly act: () => Promise<unknown>;
}

/** The call to make. Undefined if there is nothing to click on, or the driver has no such method. */
function plannedCall(run: Run, command: Call["command"]): PlannedCall | undefined {
  const { views, receipts, driver } = run;
  const { surfaces } = run.world;
  const { kind } = command;
  if (kind === "open") return { command, act: () => open(run) };
  if (driver === undefined) return undefined;
  switch (kind) {
    case "impression":
    case "again": {
      if (kind === "impression") views.push(newView(command, views, surfaces));
      const shown = kind === "impression" ? views.at(-1) : views[command.impression % views.length];
      if (shown === undefined) return undefined;
      const act = async (): Promise<unknown> => {
        const receipt = await driver.impression({ ...shown });
        receipts.set(shown, receipt);
        return receipt;
      };
      return { command, shown, act };
    }
    case "click": {
      const known = views.filter((view) => receipts.has(view));
      const shown = known[command.impression % known.length];
      if (shown === undefined || driver.click === undefined) return undefined;
      const receipt = receipts.get(shown);
      return { command, shown, act: async () => await driver.click?.(receipt) };
    }
    default: {
      const method: ((...query: object[]) => unknown) | undefined = driver[kind];
      if (method === undefined) return undefined;
      const query = kind === "flush" || kind === "close" ? [] : [queryOf(command, surfaces)];
      return { command, act: async () => await method.call(driver, ...query) };
    }
  }
}

/** @throws InputError for a driver that can't be one. */
async function open(run: Run): Promise<void> {
  const driver = checkedDriver(await run.createDriver(run.world.context));
  run.promised = promisesOf(driver);
  run.driver = driver;
}

function newView(
  { surface, ad, spelling }: Extract<ClientCommand, { kind: "impression" }>,
  views: readonly Shown[],
  surfaces: TestWorld["surfaces"],
): Shown {
  const names = namesOf(views.length + 1, spelling);
  const earlier = ad === undefined ? undefined : views[ad % views.length];
  const { id = "" } = surfaces[surface % surfaces.length] ?? {};
  return { surface: id, ...names, ad: earlier?.ad ?? names.ad };
}

/** Makes all calls at once or `apartMs` after each other, and waits for all of them. */
async function makeCalls(run: Run, commands: readonly Call["command"][], apartMs = 0) {
  const { time, grant, sim } = run.world;
  const all = commands.flatMap((command) => plannedCall(run, command) ?? []);
  if (all.length === 0) return;
  const step = run.ends.length - 1;
  const startMs = sim.clock.now();
  const isFlooded = grant(
    Math.max(MAX_REQUESTS * all.length, REQUESTS_PER_VIEW * run.views.length),
  );
  const ended = new Map<PlannedCall, Pick<LiveCall, "outcome" | "endMs" | "live">>();
  const works = all.map(async (call, at) => {
    if (at * apartMs > 0) await pause(time.timers, at * apartMs);
    const [live, outcome] = await call.act().then(
      (value): [unknown, Outcome] => [value, { kind: "done", value: copyOf(value) }],
      (error: unknown): [unknown, Outcome] => [error, { kind: "failed", error: copyOf(error) }],
    );
    ended.set(call, { outcome, live, endMs: sim.clock.now() });
  });
  const { kind } = await time.until(Promise.all(works));
  const outcome: Outcome = { kind: isFlooded() ? "flooded" : kind === "over" ? "stuck" : kind };
  const unfinished = { outcome, live: undefined, endMs: sim.clock.now() };
  for (const [at, call] of all.entries()) {
    const { command, shown } = call;
    const how = ended.get(call) ?? unfinished;
    const atMs = startMs + at * apartMs;
    run.calls.push({ command, step, isTogether: all.length > 1, shown, atMs, ...how });
  }
}
