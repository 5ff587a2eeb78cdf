/** A client of an adsim's control API. Its errors say which request was refused and why. */

import * as v from "valibot";
import { InputError } from "../../../base/input.ts";
import { jsonIn } from "../../../base/parse-json.ts";
import { printable } from "../../../base/text.ts";
import { VERSION } from "../../../base/version.ts";
import type { HttpClient } from "./http-client.ts";

/** The control API of one world or of the server. */
export interface ControlApi {
  /**
   * `path`: below `/_sim/`. Returns the answer's JSON, undefined if there is none.
   *
   * @throws InputError (as a rejection) if the server names a wrong field; Error for any other refusal, and if the server
   * can't be reached.
   */
  ask(method: string, path: string, body?: object): Promise<unknown>;
  /** The same, for an answer that must match this schema. */
  askParsed<Schema extends v.GenericSchema>(
    schema: Schema,
    ...asked: Parameters<ControlApi["ask"]>
  ): Promise<v.InferOutput<Schema>>;
}

export interface ControlApiOptions {
  readonly client: HttpClient;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path prefix of every request to the world. */
  readonly prefix: string;
  readonly token: string | undefined;
  /** The server's version; undefined if not known yet. */
  readonly version?: string | undefined;
}

export interface ControlAnswer {
  readonly status: number;
  readonly text: string;
  /** The body's JSON; undefined if it isn't JSON. */
  readonly value: unknown;
}

/** Enough for importing the largest snapshot. */
const MAX_WAIT_MS = 60_000;

/** A server's text, made safe to print on one line of a terminal. */
const plainText: v.GenericSchema<unknown, string> = v.pipe(v.string(), v.transform(printable));

const problem = v.looseObject({
  type: v.pipe(v.string(), v.startsWith("urn:adsim:control:")),
  detail: plainText,
  field: v.optional(plainText),
});

export function createControlApi(options: ControlApiOptions): ControlApi {
  async function ask(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await askControl(options, method, path, body);
    if (isSuccess(answer)) return answer.value;
    throw refusalOf(answer, `${method} /_sim/${path}`, options);
  }

  return {
    ask,
    async askParsed(schema, ...asked) {
      const [method, path] = asked;
      return parseAnswer(schema, await ask(...asked), `${method} /_sim/${path}`, options);
    },
  };
}

/** @throws Error if the answer doesn't match the schema. */
function parseAnswer<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  what: string,
  options: Omit<ControlApiOptions, "client" | "token">,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw new Error(
    `The adsim at ${urlOf(options)} answered ${what} with something unexpected.${otherVersion(options)}`,
  );
}

export type Health =
  | { readonly kind: "adsim"; readonly version: string; readonly seed: string }
  | { readonly kind: "refusing"; readonly status: number; readonly detail: string }
  | { readonly kind: "other"; readonly status: number };

const healthy = v.looseObject({
  status: v.literal("ok"),
  version: plainText,
  seed: plainText,
  world: v.string(),
  now: v.string(),
});

/** Finds out what the target is: an adsim with control, an adsim that refuses it, or another service. @throws as {@link askControl}. */
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

function isSuccess({ status }: ControlAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Any answer. @throws Error (as a rejection) if there is none. */
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
    return { status: answer.status, text: answer.text, value: jsonIn(answer.text) };
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
      : `The target ${urlOf(options)} no longer answers: ${why}. Find out why it ended or hangs, then try again.`,
  );
}

/** What to do if a control token is missing or wrong. */
const GIVE_TOKEN = " Give its control token (--control-token).";

/** An InputError if the server names a wrong field. */
function refusalOf(
  { status, value }: ControlAnswer,
  what: string,
  options: Omit<ControlApiOptions, "client">,
): Error {
  const found = v.safeParse(problem, value);
  const where = `The adsim at ${urlOf(options)} refused ${what}`;
  if (!found.success) return new Error(`${where} with status ${status}.${otherVersion(options)}`);
  const { type, detail, field = "" } = found.output;
  const reason = reasons.find((one) => type === `urn:adsim:control:${one}`);
  // The path and method are ours, so an error about them means that the server lacks this route.
  if (reason !== undefined && field !== "path" && field !== "method") {
    return new InputError(field, withoutField(detail, field), reason);
  }
  const help = type.endsWith(":unauthorized") ? GIVE_TOKEN : "";
  return new Error(`${where} (${status}): ${detail}${help}${otherVersion(options)}`);
}

const reasons = ["invalid", "not-found", "conflict"] as const;

function withoutField(detail: string, field: string): string {
  return detail.startsWith(`${field} `) ? detail.slice(field.length + 1) : detail;
}

function otherVersion({ version }: Pick<ControlApiOptions, "version">): string {
  return version === undefined || version === VERSION
    ? ""
    : ` It is adsim ${version}, but this is ${VERSION}. Use the same version.`;
}

function urlOf({ origin, prefix }: Pick<ControlApiOptions, "origin" | "prefix">): string {
  return `${origin}${prefix}`;
}
