/** A client of an adsim's control API. Its errors say which request was refused and why. */

import { InputError } from "../../base/input.ts";
import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { printable } from "../../base/text.ts";
import { VERSION } from "../../base/version.ts";
import type { HttpClient } from "./http-client.ts";

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

/**
 * Asks for `path` below `/_sim/`, and returns the answer's JSON.
 *
 * @throws InputError (as a rejection) if the server names a wrong field; Error for any other refusal, and if the server
 * can't be reached.
 */
export type ControlApi = (method: string, path: string, body?: object) => Promise<unknown>;

/** Enough for importing the largest snapshot. */
const MAX_WAIT_MS = 60_000;

export function createControlApi(options: ControlApiOptions): ControlApi {
  return async (method, path, body) => {
    const answer = await askControl(options, method, path, body);
    if (answer.status >= 200 && answer.status < 300) return answer.value;
    throw refusalOf(answer, `${method} /_sim/${path}`, options);
  };
}

/** @returns the target's adsim version. @throws InputError if it isn't an adsim; Error if it refuses control requests. */
export async function askVersion(options: ControlApiOptions): Promise<string> {
  const { status, value } = await askControl(options, "GET", "health");
  const url = `${options.origin}${options.prefix}`;
  if (isProblem(value)) {
    throw new Error(
      `The target ${url} is an adsim that refuses control requests (${status}): ${textIn(value, "detail")} Give its control token (--control-token), or play against it like any other service with --api-key and --publisher.`,
    );
  }
  if (status === 200 && memberOf(value, "status") === "ok") return textIn(value, "version");
  throw new InputError(
    "target",
    `${url} is not an adsim (GET ${url}/_sim/health has status ${status}), so its publishers are unknown. Give one with --api-key KEY and --publisher ID`,
  );
}

interface ControlAnswer {
  readonly status: number;
  /** The body's JSON; undefined if it isn't JSON. */
  readonly value: unknown;
}

/** Any answer. @throws Error (as a rejection) if there is none. */
async function askControl(
  options: ControlApiOptions,
  method: string,
  path: string,
  body?: object,
): Promise<ControlAnswer> {
  const { client, origin, prefix, token, version } = options;
  const request = {
    method,
    path: `/_sim/${path}`,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const answer = await client.send(prefix, { request, timeoutMs: MAX_WAIT_MS });
  const { outcome, status, text, why = outcome } = answer;
  if (outcome === "answered") return { status, value: jsonIn(text) };
  const url = `${origin}${prefix}`;
  throw new Error(
    outcome === "cut"
      ? `The target ${url} gave no complete answer to ${method} /_sim/${path}: ${why}. Check the address, or try again.`
      : version === undefined
        ? unreachable(url, why)
        : `The target ${url} no longer answers: ${why}. Find out why it ended or hangs, then try again.`,
  );
}

export function unreachable(url: string, why: string): string {
  return `The target ${url} can't be reached: ${why}. Start the service, or check the address: host, port, http or https.`;
}

const PROBLEM = "urn:adsim:control:";

function isProblem(value: unknown): boolean {
  return textIn(value, "type").startsWith(PROBLEM);
}

/** A server's text, made safe to print on one line of a terminal. */
function textIn(value: unknown, name: string): string {
  return printable(String(memberOf(value, name) ?? ""));
}

const reasons = ["invalid", "not-found", "conflict"] as const;

/** An InputError if the server names a wrong field. */
function refusalOf(
  { status, value }: ControlAnswer,
  what: string,
  { origin, prefix, version }: ControlApiOptions,
): Error {
  const where = `The adsim at ${origin}${prefix} refused ${what}`;
  const other =
    version === VERSION
      ? ""
      : ` It is adsim ${version}, but this is ${VERSION}. Use the same version.`;
  if (!isProblem(value)) return new Error(`${where} with status ${status}.${other}`);
  const [type, detail, field] = [
    textIn(value, "type"),
    textIn(value, "detail"),
    textIn(value, "field"),
  ];
  const reason = reasons.find((one) => type === `${PROBLEM}${one}`);
  // The path and method are ours, so an error about them means that the server lacks this route.
  if (reason !== undefined && field !== "path" && field !== "method") {
    const expected = detail.startsWith(`${field} `) ? detail.slice(field.length + 1) : detail;
    return new InputError(field, expected, reason);
  }
  const help =
    type === `${PROBLEM}unauthorized` ? " Give its control token (--control-token)." : "";
  return new Error(`${where} (${status}): ${detail}${help}${other}`);
}
