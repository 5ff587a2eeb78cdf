/** `adsim fleet URL… -- METHOD PATH [BODY]`: sends a control request to every replica, and combines their answers into one. */

import { formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import { indentedJson } from "../../base/text.ts";
import { VERSION } from "../../base/version.ts";
import {
  askControl,
  askHealth,
  type ControlApiOptions,
  type Health,
  isSuccess,
  refusalOf,
} from "../../play/targets/control-api.ts";
import { createHttpClient, LARGEST_BODY_BYTES } from "../../play/targets/http-client.ts";
import type { TargetUrl } from "../../play/targets/target-url.ts";
import { couldNotRun, exitCodes, failureAtTarget, wrongUsage } from "../output/exit.ts";
import { say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { type ControlRequest, combined, type ReplicaAnswer } from "./combine.ts";
import { readReplicaUrls } from "./replica-urls.ts";

export interface FleetFlags {
  readonly controlToken?: string;
}

/** @returns 0 if all replicas did the same; 1 if some didn't do it, or if a change had different results. */
export async function fleet(
  words: readonly string[],
  { controlToken }: FleetFlags,
  { stdout, stderr }: HostProcess,
): Promise<number> {
  const urls = words.filter((word) => /^https?:\/\//i.test(word));
  if (urls.length === 0)
    throw wrongUsage(
      "URL is missing. Give the base URL of every replica, such as http://adsim-1:4010.",
    );
  const replicas = readReplicaUrls(urls);
  const rest = words.slice(urls.length);
  const request = readRequest(rest[0] === "--" ? rest.slice(1) : rest);
  const answers = await askAll(replicas, request, controlToken);
  const isDone = answers.every(isSuccess);
  const one = isDone ? combined(request, answers) : undefined;
  if (one !== undefined) {
    say(typeof one === "string" ? one : indentedJson(one), stdout);
    return exitCodes.fine;
  }
  if (!answers.some((answer) => isSuccess(answer) || answer.status === 0))
    throw refusedByAll(answers, request);
  const shown = answers.map(({ url, status, value, text }) => ({
    ...{ url, status },
    answer: value ?? text,
  }));
  say(indentedJson({ replicas: shown }), stdout);
  // Answers to a question may differ.
  if (isDone && request.method === "GET") return exitCodes.fine;
  say(`adsim: ${isDone ? DIFFERENT : whoFailed(answers)}\n`, stderr);
  return exitCodes.checkFailed;
}

const DIFFERENT =
  "the replicas did it with different results. Were they started and changed alike?";

/** A sentence about the replicas that didn't do what they were asked. */
function whoFailed(answers: readonly ReplicaAnswer[]): string {
  const urlsWith = (has: (answer: ReplicaAnswer) => boolean): string =>
    formatList(answers.filter(has).map(({ url }) => url));
  const silent = urlsWith(({ status }) => status === 0);
  const refusing = urlsWith((answer) => answer.status !== 0 && !isSuccess(answer));
  return [
    ...(refusing === "" ? [] : [`${refusing} refused it`]),
    ...(silent === "" ? [] : [`${silent} gave no answer, and may have done it`]),
    "the replicas may differ now",
  ].join("; ");
}

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const EXAMPLES = `such as GET audit, or POST clock/advance '{"by":"1h"}'`;

function readRequest([
  method = "",
  address = "",
  body,
  ...surplus
]: readonly string[]): ControlRequest {
  if (!methods.includes(method.toUpperCase()) || address === "")
    throw wrongUsage(`after the URLs, give a control request: METHOD PATH [BODY], ${EXAMPLES}.`);
  if (surplus.length > 0)
    throw wrongUsage(`unexpected '${surplus[0]}' after the body. Quote the JSON: ${EXAMPLES}.`);
  const [path = "", search] = address.replace(/^\/?(?:_sim\/)?/, "").split("?");
  if (!/^[\w.~%/-]+$/.test(path) || path.split("/").includes(".."))
    throw wrongUsage(`'${address}' isn't a path of the control API, ${EXAMPLES}.`);
  const query = new URLSearchParams(search);
  const request = { method: method.toUpperCase(), path, query, body: bodyIn(body) };
  const why = whyNotForAll(request);
  if (why !== undefined) throw wrongUsage(`${wordsOf(request)} can't be sent to all: ${why}.`);
  return request;
}

/** Requests that one replica can do and all together can't. */
function whyNotForAll({ method, path, query }: ControlRequest): string | undefined {
  switch (`${method} ${path}`) {
    case "GET events":
      return "it never ends. Follow each replica by itself";
    case "POST scenarios/play":
      return "each replica would play the whole scenario. Send its traffic through the balancer: adsim play --worker";
    case "GET journal":
      return query.has("after") || query.has("format")
        ? "numbers of entries and formats are each replica's own. Leave out after and format"
        : undefined;
    default:
      return undefined;
  }
}

function bodyIn(text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  const body = parseJson(text, (mistake) =>
    wrongUsage(`the body ${mistake}. Quote it: ${EXAMPLES}.`),
  );
  if (isPlainObject(body) || Array.isArray(body)) return body;
  throw wrongUsage(`the body must be a JSON object, ${EXAMPLES}.`);
}

function pathOf({ path, query }: ControlRequest): string {
  return query.size === 0 ? path : `${path}?${query}`;
}

function wordsOf(request: ControlRequest): string {
  return `${request.method} /_sim/${pathOf(request)}`;
}

/** Sends nothing unless every replica is an adsim of our version and of the same seed. @throws CommandFailure */
async function askAll(
  replicas: readonly TargetUrl[],
  request: ControlRequest,
  token: string | undefined,
): Promise<readonly ReplicaAnswer[]> {
  const all = await Promise.all(
    replicas.map(async (replica) => {
      const limits = { connections: 1, mostBodyBytes: LARGEST_BODY_BYTES };
      return { ...replica, token, client: await createHttpClient(replica.origin, limits) };
    }),
  );
  try {
    await refuseStrangers(all);
    return await Promise.all(all.map((replica) => answerOf(replica, request)));
  } catch (error) {
    throw failureAtTarget(error);
  } finally {
    await Promise.all(all.map(({ client }) => client.close()));
  }
}

type Replica = TargetUrl & ControlApiOptions;

/** No answer has status 0: others may have done it meanwhile. */
async function answerOf(replica: Replica, request: ControlRequest): Promise<ReplicaAnswer> {
  const { method, body } = request;
  const known = { ...replica, version: VERSION };
  try {
    return { url: replica.url, ...(await askControl(known, method, pathOf(request), body)) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { url: replica.url, status: 0, text: error.message, value: undefined };
  }
}

/** @throws CommandFailure unless all are replicas of one server, which this adsim can ask. */
async function refuseStrangers(replicas: readonly Replica[]): Promise<void> {
  const found = await Promise.all(
    replicas.map(async (replica) => ({ url: replica.url, health: await askHealth(replica) })),
  );
  const seeds = found.map(({ url, health }) => {
    if (health.kind === "adsim" && health.version === VERSION) return { url, seed: health.seed };
    throw couldNotRun(`${url} ${whyStrange(health)} Nothing was sent.`);
  });
  const [first] = seeds;
  const other = seeds.find(({ seed }) => seed !== first?.seed);
  if (first === undefined || other === undefined) return;
  throw couldNotRun(
    `these aren't replicas of one server: ${first.url} has the seed ${first.seed}, ${other.url} has ${other.seed}. Nothing was sent.`,
  );
}

function whyStrange(health: Health): string {
  switch (health.kind) {
    case "adsim":
      return `is adsim ${health.version}, but this is ${VERSION}.`;
    case "refusing":
      return `refuses control requests (${health.status}): ${health.detail}`;
    case "other":
      return `isn't an adsim: GET /_sim/health has status ${health.status}.`;
  }
}

/** @returns the error of a request that changed nothing anywhere. */
function refusedByAll([first]: readonly ReplicaAnswer[], request: ControlRequest): Error {
  if (first === undefined) return new Error("A fleet without replicas. This is a bug in adsim.");
  const at = { origin: first.url, prefix: "", token: undefined };
  return wrongUsage(refusalOf(first, wordsOf(request), at).message);
}
