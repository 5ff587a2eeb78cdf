/** The control API of an adsim at `--target`, as far as a replay needs it. */

import * as v from "valibot";
import type { ClockMode } from "../../base/clock.ts";
import { plainText } from "../../play/targets/control-api.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { type HttpClient, unreachableAt } from "./http-client.ts";

export interface Control {
  readonly seed: string;
  clock(): Promise<{ readonly mode: ClockMode; readonly now: string }>;
  /** Lets the clock stand still at this instant. @throws CommandFailure where it is past that. `start`: the recorded world's. */
  setClock(now: string, start: string | undefined): Promise<void>;
  setMode(mode: ClockMode): Promise<void>;
  assumptions(): Promise<Readonly<Record<string, string>>>;
  assume(choices: Readonly<Record<string, string>>): Promise<void>;
  /** How many requests its world has answered. */
  answered(): Promise<number>;
  /** Undefined for a publisher that isn't there. */
  keyOf(publisher: string): Promise<string | undefined>;
}

const health = v.looseObject({ status: v.literal("ok"), seed: v.string(), world: v.string() });
const clockState = v.looseObject({
  mode: v.picklist(["frozen", "flowing", "system"]),
  now: v.string(),
});
const problem = v.looseObject({ type: v.string(), detail: plainText });
const choices = v.record(v.string(), v.string());
const journal = v.looseObject({ total: v.number() });
const publisher = v.looseObject({ apiKey: v.string() });

/** Undefined where no adsim answers at the target, or one that doesn't let us: then a note says so. */
export async function controlOf(
  client: HttpClient,
  target: string,
  token: string | undefined,
  notes: Set<string>,
): Promise<Control | undefined> {
  const call = callerOf(client, target, token);
  const { status, value } = await call("GET", "health");
  const refusal = v.safeParse(problem, value);
  if (refusal.success && refusal.output.type.startsWith("urn:adsim:control:")) {
    notes.add(
      `the target is an adsim and refuses control (${status}): its clock is its own, and it tells no keys. Give --control-token, or --api-key`,
    );
    return undefined;
  }
  const found = v.safeParse(health, value);
  return status === 200 && found.success ? controlWith(call, target, found.output.seed) : undefined;
}

type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly value: unknown }>;

function controlWith(call: Call, target: string, seed: string): Control {
  const keys = new Map<string, string | undefined>();

  /** @throws CommandFailure where the target refuses, with what it says. */
  async function ask<Schema extends v.GenericSchema>(
    schema: Schema,
    ...[method, path, body]: Parameters<Call>
  ): Promise<v.InferOutput<Schema>> {
    const { status, value } = await call(method, path, body);
    const parsed = v.safeParse(schema, value);
    if (status === 200 && parsed.success) return parsed.output;
    const refusal = v.safeParse(problem, value);
    throw refused(
      target,
      `${method} /_sim/${path}`,
      refusal.success ? refusal.output.detail : `status ${status}`,
    );
  }

  return {
    seed,
    clock: () => ask(clockState, "GET", "clock"),
    async setClock(now, start) {
      const { status } = await call("PUT", "clock", { mode: "frozen", now });
      if (status === 200) return;
      const { now: ahead } = await ask(clockState, "GET", "clock");
      // The past of the publishers follows from it, so no other start gives the same answers.
      const from = start === undefined ? "and a --start before that" : `--start ${start}`;
      throw new CommandFailure(
        exitCodes.couldNotRun,
        `--target ${target}: its clock is at ${ahead} and can't go back to ${now}, when the recording goes on. Start a server with --clock frozen ${from}, name a new world of such a server (URL/@NAME), or leave its clock alone with --keep-clock.`,
      );
    },
    setMode: async (mode) => {
      await ask(clockState, "PUT", "clock", { mode });
    },
    assumptions: () => ask(choices, "GET", "assumptions"),
    assume: async (changed) => {
      await ask(choices, "PATCH", "assumptions", changed);
    },
    answered: async () => (await ask(journal, "GET", "journal?limit=1")).total,
    async keyOf(id) {
      if (!keys.has(id)) {
        const { value } = await call("GET", `publishers/${encodeURIComponent(id)}`);
        const parsed = v.safeParse(publisher, value);
        keys.set(id, parsed.success ? parsed.output.apiKey : undefined);
      }
      return keys.get(id);
    },
  };
}

function callerOf(client: HttpClient, target: string, token: string | undefined): Call {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return async (method, pathAndQuery, body) => {
    const [path = "", query = ""] = pathAndQuery.split("?");
    const sent = await client.send({
      method,
      path: `/_sim/${path}`,
      query,
      headers: { ...authorization, ...(body && { "content-type": "application/json" }) },
      body: body === undefined ? "" : JSON.stringify(body),
    });
    if (sent.kind === "unreachable") throw unreachableAt(target, sent.why);
    if (sent.kind !== "answered") return { status: 0, value: undefined };
    return { status: sent.status, value: jsonIn(sent.body) };
  };
}

function jsonIn(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function refused(target: string, what: string, why: string): CommandFailure {
  return new CommandFailure(
    exitCodes.couldNotRun,
    `--target ${target} is an adsim and refuses ${what}: ${why} Is it another version?`,
  );
}
