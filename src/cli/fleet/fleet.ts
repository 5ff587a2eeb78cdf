/** `adsim fleet URL… -- METHOD PATH [BODY]`: sends a control request to every replica, and makes one answer of theirs. */

import { formatList } from "../../base/did-you-mean.ts";
import { InputError, isPlainObject } from "../../base/input.ts";
import { indentedJson } from "../../base/text.ts";
import { VERSION } from "../../base/version.ts";
import {
  askControl,
  askHealth,
  type ControlApiOptions,
  isSuccess,
  jsonIn,
  refusalOf,
} from "../../play/targets/control-api.ts";
import { createHttpClient } from "../../play/targets/http-client.ts";
import { readTargetUrl, type TargetUrl } from "../../play/targets/target-url.ts";
import { couldNotRun, exitCodes, failureAtTarget, wrongUsage } from "../output/exit.ts";
import { say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { combined, type ReplicaAnswer } from "./combine.ts";

export interface FleetFlags {
  readonly controlToken?: string;
}

interface ControlRequest {
  readonly method: string;
  /** Below `/_sim/`. */
  readonly path: string;
  readonly body: object | undefined;
}

/** @returns 0 if all replicas did the same; 1 if some refused, or if a change had different results. */
export async function fleet(
  words: readonly string[],
  { controlToken }: FleetFlags,
  { stdout, stderr }: HostProcess,
): Promise<number> {
  const urls = words.filter(isUrl);
  const replicas = urls.map(readReplicaUrl);
  refuseUrls(replicas);
  const rest = words.slice(urls.length);
  const request = readRequest(rest[0] === "--" ? rest.slice(1) : rest);
  const answers = await askAll(replicas, request, controlToken);
  const refused = answers.filter((answer) => !isSuccess(answer));
  if (refused.length === answers.length) throw refusedByAll(answers, request, replicas);
  const [path = "", search] = request.path.split("?");
  const asked = { path, query: new URLSearchParams(search) };
  const one = refused.length === 0 ? combined(asked, answers) : undefined;
  if (one === undefined) return tellEach(answers, request, { stdout, stderr });
  say(typeof one === "string" ? one : indentedJson(one), stdout);
  return exitCodes.fine;
}

/** Shows the answers of replicas that don't agree. @returns the exit code: that reports differ is nothing unusual. */
function tellEach(
  answers: readonly ReplicaAnswer[],
  request: ControlRequest,
  { stdout, stderr }: Pick<HostProcess, "stdout" | "stderr">,
): number {
  const shown = answers.map(({ url, status, value, text }) => ({
    ...{ url, status },
    answer: value ?? text,
  }));
  say(indentedJson({ replicas: shown }), stdout);
  const isChange = request.method !== "GET";
  const refused = answers.filter((answer) => !isSuccess(answer)).map(({ url }) => url);
  if (refused.length > 0) {
    const rest = isChange ? ", and the others did it. They differ now" : "";
    say(`adsim: ${formatList(refused)} refused ${wordsOf(request)}${rest}.\n`, stderr);
  } else if (isChange) {
    const advice = "Were the replicas started and changed alike?";
    say(`adsim: ${wordsOf(request)} had different results. ${advice}\n`, stderr);
  } else return exitCodes.fine;
  return exitCodes.checkFailed;
}

function wordsOf({ method, path }: ControlRequest): string {
  return `${method} /_sim/${path}`;
}

function isUrl(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

function readReplicaUrl(url: string): TargetUrl {
  try {
    return readTargetUrl(url);
  } catch (error) {
    throw error instanceof InputError ? wrongUsage(`${url} ${error.expected}`) : error;
  }
}

function refuseUrls(replicas: readonly TargetUrl[]): void {
  if (replicas.length === 0)
    throw wrongUsage(
      "URL is missing. Give the base URL of every replica, such as http://adsim-1:4010.",
    );
  const twice = replicas.find(
    ({ url }, index) => replicas.findIndex((one) => one.url === url) < index,
  );
  if (twice !== undefined) throw wrongUsage(`${twice.url} is given twice. Give each replica once.`);
}

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const EXAMPLES = `such as GET audit, or POST clock/advance '{"by":"1h"}'`;

function readRequest([
  method = "",
  path = "",
  body,
  ...surplus
]: readonly string[]): ControlRequest {
  if (!methods.includes(method.toUpperCase()) || path === "")
    throw wrongUsage(`after the URLs, give a control request: METHOD PATH [BODY], ${EXAMPLES}.`);
  if (surplus.length > 0)
    throw wrongUsage(`unexpected '${surplus[0]}' after the body. Quote the JSON: ${EXAMPLES}.`);
  const below = path.replace(/^\/?(?:_sim\/)?/, "");
  if (!/^[\w.~%/?=&:+,-]+$/.test(below))
    throw wrongUsage(`'${path}' isn't a path of the control API, ${EXAMPLES}.`);
  const request = { method: method.toUpperCase(), path: below, body: bodyIn(body) };
  const why = wholeness[`${request.method} ${below.split("?")[0]}`];
  if (why !== undefined) throw wrongUsage(`${request.method} ${below} can't be for all: ${why}.`);
  return request;
}

/** Requests that one replica can do and all together can't, and why. */
const wholeness: Readonly<Record<string, string>> = {
  "GET events": "it never ends. Follow each replica by itself",
  "POST scenarios/play":
    "each replica would play the whole scenario. Play it through the balancer: adsim play --worker 1/1",
};

function bodyIn(text: string | undefined): object | undefined {
  const body = text === undefined ? undefined : jsonIn(text);
  if (text === undefined || isPlainObject(body) || Array.isArray(body)) return body as object;
  throw wrongUsage(`'${text}' isn't a JSON object, ${EXAMPLES}.`);
}

/** Sends nothing unless every replica is an adsim of the same version and seed. @throws CommandFailure */
async function askAll(
  replicas: readonly TargetUrl[],
  { method, path, body }: ControlRequest,
  token: string | undefined,
): Promise<readonly ReplicaAnswer[]> {
  const clients = await Promise.all(
    replicas.map(({ origin }) =>
      createHttpClient(origin, { connections: 1, mostBodyBytes: MAX_BODY_BYTES }),
    ),
  );
  const options = clients.map((client, index): ControlApiOptions & { readonly url: string } => {
    const { url = "", origin = "", prefix = "" } = replicas[index] ?? {};
    return { client, url, origin, prefix, token, version: VERSION };
  });
  try {
    await refuseStrangers(options);
    const asking = options.map((one) => askControl(one, method, path, body));
    return (await Promise.allSettled(asking)).map((asked, index): ReplicaAnswer => {
      const url = replicas[index]?.url ?? "";
      if (asked.status === "fulfilled") return { url, ...asked.value };
      // Others may have done it.
      return { url, status: 0, text: String(asked.reason.message), value: undefined };
    });
  } catch (error) {
    throw failureAtTarget(error);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** As large as a journal can be. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

async function refuseStrangers(
  options: readonly (ControlApiOptions & { readonly url: string })[],
): Promise<void> {
  const all = await Promise.all(
    options.map(async (one) => ({
      url: one.url,
      found: await askHealth({ ...one, version: undefined }),
    })),
  );
  const kinds = all.map(({ url, found }) => {
    if (found.kind === "adsim")
      return { url, kind: `version ${found.version}, seed ${found.seed}` };
    const why =
      found.kind === "refusing"
        ? `refuses control requests (${found.status}): ${found.detail} Give its control token (--control-token)`
        : `isn't an adsim: GET /_sim/health has status ${found.status}`;
    throw couldNotRun(`${url} ${why}. Nothing was sent.`);
  });
  const [first] = kinds;
  const other = kinds.find(({ kind }) => kind !== first?.kind);
  if (first === undefined || other === undefined) return;
  throw couldNotRun(
    `these aren't replicas of one server: ${first.url} has ${first.kind}, ${other.url} has ${other.kind}. Nothing was sent.`,
  );
}

/** @returns the error of a request that changed nothing anywhere. */
function refusedByAll(
  [first]: readonly ReplicaAnswer[],
  request: ControlRequest,
  [replica]: readonly TargetUrl[],
): Error {
  if (first === undefined || replica === undefined)
    return new Error("A fleet without replicas. This is a bug in adsim.");
  if (first.status === 0) return couldNotRun(first.text);
  return wrongUsage(refusalOf(first, wordsOf(request), { ...replica, token: undefined }).message);
}
