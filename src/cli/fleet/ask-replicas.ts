/** Sends a control request to every replica, if all of them are replicas of one server. */

import type * as v from "valibot";
import { VERSION } from "../../base/version.ts";
import {
  askControl,
  askHealth,
  type ControlAnswer,
  type ControlApiOptions,
  GIVE_TOKEN,
  type Health,
  parseAnswer,
} from "../../play/targets/control-api.ts";
import { createHttpClient, LARGEST_BODY_BYTES } from "../../play/targets/http-client.ts";
import type { TargetUrl } from "../../play/targets/target-url.ts";
import { couldNotRun, failureAtTarget } from "../output/exit.ts";

export interface ControlRequest {
  readonly method: string;
  /** Below `/_sim/`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: object | undefined;
}

export interface ReplicaAnswer extends ControlAnswer {
  /** The replica's base URL. */
  readonly url: string;
}

/** Sends nothing unless every replica is an adsim of our version and of the same seed. @throws CommandFailure */
export async function askReplicas(
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

/** What a replica's answer says. @throws CommandFailure that names the replica if the answer has another form. */
export function contentOf<Schema extends v.GenericSchema>(
  schema: Schema,
  { url, value }: ReplicaAnswer,
  request: ControlRequest,
): v.InferOutput<Schema> {
  try {
    return parseAnswer(schema, value, wordsOf(request), { origin: url, prefix: "" });
  } catch (error) {
    throw failureAtTarget(error);
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
      return `refuses control requests (${health.status}): ${health.detail}${health.status === 401 ? GIVE_TOKEN : ""}`;
    case "other":
      return `isn't an adsim: it answers GET /_sim/health with status ${health.status}, but not as an adsim does.`;
  }
}

function pathOf({ path, query }: ControlRequest): string {
  return query.size === 0 ? path : `${path}?${query}`;
}

export function wordsOf(request: ControlRequest): string {
  return `${request.method} /_sim/${pathOf(request)}`;
}
