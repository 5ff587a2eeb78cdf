/** `adsim fleet URL… -- METHOD PATH [BODY]`: sends a control request to every replica, and combines their answers into one. */

import { formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import { indentedJson } from "../../base/text.ts";
import { isSuccess, refusalOf } from "../../play/targets/control-api.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { askReplicas, type ControlRequest, type ReplicaAnswer, wordsOf } from "./ask-replicas.ts";
import { combined } from "./combine.ts";
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
  const end = words.findIndex((word) => !/^[a-z]+:\/\//i.test(word));
  const urls = end === -1 ? words : words.slice(0, end);
  if (urls.length === 0)
    throw wrongUsage(
      "URL is missing. Give the base URL of every replica, such as http://adsim-1:4010.",
    );
  const replicas = readReplicaUrls(urls);
  const rest = words.slice(urls.length);
  const request = readRequest(rest[0] === "--" ? rest.slice(1) : rest);
  const answers = await askReplicas(replicas, request, controlToken);
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
  say(`adsim: ${isDone ? DIFFERENT : whoFailed(answers, request)}\n`, stderr);
  return exitCodes.checkFailed;
}

const DIFFERENT =
  "the replicas did it with different results. Were they started and changed alike?";

/** A sentence about the replicas that didn't do what they were asked. */
function whoFailed(answers: readonly ReplicaAnswer[], { method }: ControlRequest): string {
  const urlsWith = (has: (answer: ReplicaAnswer) => boolean): string =>
    formatList(answers.filter(has).map(({ url }) => url));
  const silent = urlsWith(({ status }) => status === 0);
  const refusing = urlsWith((answer) => answer.status !== 0 && !isSuccess(answer));
  const isChange = method !== "GET";
  const orDidIt = isChange ? ", and may have done it" : "";
  return [
    ...(refusing === "" ? [] : [`${refusing} refused it`]),
    ...(silent === "" ? [] : [`${silent} gave no answer${orDidIt}`]),
    ...(isChange ? ["the replicas may differ now"] : []),
  ].join("; ");
}

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const EXAMPLES = `Examples: GET audit, and POST clock/advance '{"by":"1h"}'`;

function readRequest([
  method = "",
  address = "",
  body,
  ...surplus
]: readonly string[]): ControlRequest {
  const found = method === "" || methods.includes(method.toUpperCase()) ? "" : `, not '${method}'`;
  if (found !== "" || address === "")
    throw wrongUsage(
      `after the URLs (http://… or https://…), give a control request: METHOD PATH [BODY]${found}. ${EXAMPLES}.`,
    );
  if (surplus.length > 0)
    throw wrongUsage(`unexpected '${surplus[0]}' after the body. Quote the JSON. ${EXAMPLES}.`);
  const [path = "", search] = address.replace(/^\/?(?:_sim(?:\/|$))?/, "").split("?");
  if (!/^[\w.~%/-]+$/.test(path) || path.split("/").includes(".."))
    throw wrongUsage(`'${address}' isn't a path of the control API. ${EXAMPLES}.`);
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
  const body = parseJson(text, (mistake) => wrongUsage(`the body ${mistake}. ${EXAMPLES}.`));
  if (isPlainObject(body) || Array.isArray(body)) return body;
  throw wrongUsage(`the body must be a JSON object. ${EXAMPLES}.`);
}

/** @returns the error of a request that changed nothing anywhere. */
function refusedByAll([first]: readonly ReplicaAnswer[], request: ControlRequest): Error {
  if (first === undefined) return new Error("A fleet without replicas. This is a bug in adsim.");
  const at = { origin: first.url, prefix: "", token: undefined };
  return wrongUsage(refusalOf(first, wordsOf(request), at).message);
}
