/** A client of an adsim's control API. Its errors say which request was refused and why. */

import { InputError } from "../../base/input.ts";
import { jsonIn, memberOf } from "../../base/parse-json.ts";
import { printable } from "../../base/text.ts";
import type { HttpClient } from "./http-client.ts";
import { TargetError } from "./target.ts";

interface ControlApiOptions {
  readonly client: HttpClient;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path prefix of every request. */
  readonly prefix: string;
  readonly token: string | undefined;
}

/**
 * Asks for `path` below `/_sim/`, and returns the answer's JSON. It has the shape that it has in this version.
 *
 * @throws InputError (as a rejection) if the server names a wrong field; Error for any other refusal, and if the server
 * can't be reached.
 */
export type ControlApi = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

/** Enough for importing the largest snapshot. */
const MAX_WAIT_MS = 60_000;

export function createControlApi(options: ControlApiOptions): ControlApi {
  const { client, origin, prefix, token } = options;
  const url = `${origin}${prefix}`;
  return async <Answer>(method: string, path: string, body?: object) => {
    const headers = {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const json = body === undefined ? undefined : JSON.stringify(body);
    const request = { method, path: `/_sim/${path}`, headers, body: json };
    const answer = await client.send(prefix, { request, timeoutMs: MAX_WAIT_MS });
    const { outcome, status, text, why = outcome } = answer;
    if (outcome !== "answered") throw new TargetError(unreachable(url, why));
    const value = jsonIn(text);
    if (status >= 200 && status < 300) return value as Answer;
    throw refusalOf(value, url, `${method} /_sim/${path} with status ${status}`);
  };
}

/** @returns the target's adsim version. @throws Error (as a rejection) if it isn't an adsim, or refuses control requests. */
export async function askVersion(options: ControlApiOptions): Promise<string> {
  const health = await createControlApi(options)("GET", "health");
  if (memberOf(health, "status") === "ok") return textIn(health, "version");
  throw notAdsim(`${options.origin}${options.prefix}`, "GET /_sim/health with something else");
}

export function unreachable(url: string, why: string): string {
  return `The target ${url} can't be reached: ${why}. Start the service, or check the address: host, port, http or https.`;
}

/** `answered`: a request, and how it was answered. */
function notAdsim(url: string, answered: string): Error {
  return new TargetError(
    `The target ${url} is not an adsim: it answered ${answered}. Give a publisher of this service with --api-key KEY and --publisher ID.`,
  );
}

/** A server's text, made safe to print on one line of a terminal. */
function textIn(value: unknown, name: string): string {
  return printable(String(memberOf(value, name) ?? ""));
}

function refusalOf(problem: unknown, url: string, answered: string): Error {
  const type = textIn(problem, "type");
  const detail = textIn(problem, "detail");
  const field = textIn(problem, "field");
  if (!type.startsWith("urn:adsim:control:")) return notAdsim(url, answered);
  // Such a detail begins with the field.
  if (field !== "" && /:(?:invalid|not-found|conflict)$/.test(type))
    return new InputError(field, detail.replace(`${field} `, ""));
  const help = /:(?:unauthorized|forbidden)$/.test(type)
    ? " Give its control token (--control-token), or play at it as at any other service (--api-key, --publisher)."
    : "";
  return new TargetError(`The adsim at ${url} answered ${answered}: ${detail}${help}`);
}
