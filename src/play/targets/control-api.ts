/** The control API of an adsim somewhere: asks, and says clearly which request was refused and why. */

import * as v from "valibot";
import { InputError } from "../../base/input.ts";
import { printable } from "../../base/text.ts";
import { VERSION } from "../../base/version.ts";
import type { HttpClient } from "./http-client.ts";

/** The control API of one world, or of the server. */
export interface ControlApi {
  /**
   * `path`: below `/_sim/`. Gives the JSON of the answer, undefined where there is none.
   *
   * @throws InputError (as a rejection) where the server names the field at fault; Error for any other refusal, and where
   * nobody is there.
   */
  ask(method: string, path: string, body?: object): Promise<unknown>;
  /** The same for what has this form. */
  askParsed<Schema extends v.GenericSchema>(
    schema: Schema,
    ...asked: Parameters<ControlApi["ask"]>
  ): Promise<v.InferOutput<Schema>>;
}

export interface ControlApiOptions {
  readonly client: HttpClient;
  /** Scheme, host and port. */
  readonly origin: string;
  /** What the path of every request to the world begins with. */
  readonly prefix: string;
  readonly token: string | undefined;
  /** The server's version; undefined while it isn't known. */
  readonly version?: string | undefined;
}

/** What a control request came to. */
interface ControlAnswer {
  readonly status: number;
  /** Its JSON; undefined for anything else. */
  readonly value: unknown;
}

/** Longer than taking over the largest snapshot takes. */
const MAX_WAIT_MS = 60_000;

/** What a server says ends up on a terminal, on one line. */
const plainText: v.GenericSchema<unknown, string> = v.pipe(v.string(), v.transform(printable));

const problem: v.GenericSchema<unknown, Problem> = v.looseObject({
  type: v.pipe(v.string(), v.startsWith("urn:adsim:control:")),
  detail: plainText,
  field: v.optional(plainText),
});

interface Problem {
  readonly type: string;
  readonly detail: string;
  readonly field?: string | undefined;
}

export function createControlApi(options: ControlApiOptions): ControlApi {
  async function ask(method: string, path: string, body?: object): Promise<unknown> {
    const { status, value } = await askControl(options, method, path, body);
    if (status >= 200 && status < 300) return value;
    throw refusalOf({ status, value }, `${method} /_sim/${path}`, options);
  }

  return {
    ask,
    async askParsed(schema, ...asked) {
      const value = await ask(...asked);
      const parsed = v.safeParse(schema, value);
      if (parsed.success) return parsed.output;
      const [method, path] = asked;
      throw new Error(
        `The adsim at ${urlOf(options)} answered ${method} /_sim/${path} with something unexpected.${otherVersion(options)}`,
      );
    },
  };
}

export type Health =
  | { readonly kind: "adsim"; readonly version: string; readonly seed: string }
  | { readonly kind: "refusing"; readonly status: number; readonly detail: string }
  | { readonly kind: "other"; readonly status: number };

const healthy = v.looseObject({
  status: v.literal("ok"),
  version: plainText,
  seed: v.string(),
  world: v.string(),
  now: v.string(),
});

/** Finds out what is there: an adsim that lets us control it, one that doesn't, or another service. @throws as {@link askControl}. */
export async function askHealth(options: ControlApiOptions): Promise<Health> {
  const { status, value } = await askControl(options, "GET", "health");
  const refusal = v.safeParse(problem, value);
  if (refusal.success) return { kind: "refusing", status, detail: refusal.output.detail };
  const found = v.safeParse(healthy, value);
  if (status === 200 && found.success) {
    const { version, seed } = found.output;
    return { kind: "adsim", version, seed };
  }
  return { kind: "other", status };
}

/** @throws Error (as a rejection) where there is no answer. */
async function askControl(
  options: ControlApiOptions,
  method: string,
  path: string,
  body?: object,
): Promise<ControlAnswer> {
  const { client, prefix, token } = options;
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const text = body === undefined ? "" : JSON.stringify(body);
  const request = { method, path: `/_sim/${path}`, headers, body: text };
  const answer = await client.send(prefix, { request, timeoutMs: MAX_WAIT_MS });
  if (answer.outcome === "answered") {
    return { status: answer.status, value: jsonIn(answer.text) };
  }
  const why = answer.why ?? answer.outcome;
  if (answer.outcome === "cut") {
    throw new Error(
      `The target ${urlOf(options)} gave no complete answer to ${method} /_sim/${path}: ${why}. Check the address, or try again.`,
    );
  }
  throw new Error(
    options.version === undefined
      ? `The target ${urlOf(options)} can't be reached: ${why}. Start the service, or check the address: host, port, http or https.`
      : `The target ${urlOf(options)} no longer answers: ${why}. Find out why it ended or hangs, then play again.`,
  );
}

function refusalOf({ status, value }: ControlAnswer, what: string, options: ControlApiOptions) {
  const found = v.safeParse(problem, value);
  const where = `The adsim at ${urlOf(options)} refused ${what}`;
  if (!found.success) return new Error(`${where} with status ${status}.${otherVersion(options)}`);
  const { type, detail, field = "" } = found.output;
  const reason = reasons.find((one) => type === `urn:adsim:control:${one}`);
  // The path and the method are ours: it hasn't got this route.
  if (reason !== undefined && field !== "path" && field !== "method") {
    return new InputError(field, withoutField(detail, field), reason);
  }
  const help = type.endsWith(":unauthorized") ? " Give its control token (--control-token)." : "";
  return new Error(`${where} (${status}): ${detail}${help}${otherVersion(options)}`);
}

const reasons = ["invalid", "not-found", "conflict"] as const;

function withoutField(detail: string, field: string): string {
  return detail.startsWith(`${field} `) ? detail.slice(field.length + 1) : detail;
}

function otherVersion({ version }: ControlApiOptions): string {
  return version === undefined || version === VERSION
    ? ""
    : ` It is adsim ${version}, but this is ${VERSION}. Use the same version.`;
}

function urlOf({ origin, prefix }: Pick<ControlApiOptions, "origin" | "prefix">): string {
  return `${origin}${prefix}`;
}

/** The JSON that a text is; undefined for anything else. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
