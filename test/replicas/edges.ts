/** What a balancer must not change, and what it must not pass on. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert";
import type { Publisher } from "../../src/index.ts";
import { recordRequests } from "../parity-requests.ts";
import { Connection, requestText } from "./connection.ts";
import { type Audit, controlAll, replicaOf, resetAll, settings, WORLD } from "./replicas.ts";

export interface Service {
  /** Of the balancer. */
  readonly port: number;
  readonly replicaPorts: readonly number[];
  /** One server like the replicas. */
  readonly alone: number;
  readonly publishers: readonly Publisher[];
}

/** The texts of the answers to these requests, one after another on one connection. */
async function answersTo(port: number, requests: readonly string[]): Promise<string[]> {
  const connection = new Connection(port);
  const answers: string[] = [];
  for (const request of requests) answers.push((await connection.send(request))?.text ?? "closed");
  connection.close();
  return answers;
}

/** The balancer and the one server answer alike, from their beginning. */
async function expectAlike(service: Service, requests: readonly string[]): Promise<void> {
  const { port, alone, replicaPorts } = service;
  await resetAll([alone, ...replicaPorts]);
  const expected = await answersTo(alone, requests);
  const answers = await answersTo(port, requests);
  for (const [index, request] of requests.entries()) {
    strictEqual(
      answers[index],
      expected[index],
      `otherwise than one server:\n${request.slice(0, 300)}`,
    );
  }
}

const refused = [
  "GET /_sim",
  "GET /_sim/",
  "GET /_sim/health",
  "GET /_sim?x=/v1",
  "POST /_sim/reset",
  "GET /@default/_sim/audit",
  `DELETE /@${WORLD}/_sim/journal`,
  "GET http://localhost/_sim/health",
];
const lookAlike = ["/_simx", "/v1/../_sim/health", "/%5fsim/health", "//_sim/health", "/@a/b/_sim"];

export async function refusesControl(service: Service): Promise<void> {
  const { port, replicaPorts } = service;
  await resetAll(replicaPorts);
  const journals = (): Promise<{ total: number }[]> =>
    controlAll(replicaPorts, "GET /_sim/journal?limit=1");
  const before = await journals();
  const connection = new Connection(port);
  for (const request of refused) {
    const [method = "", target = ""] = request.split(" ");
    const answer = await connection.send(requestText(method, target));
    strictEqual(answer?.status, 421, request);
    match(answer.text, /^content-type: application\/problem\+json$/m);
    match(answer.text, /^x-ratelimit-remaining: \d+$/m);
    const { status, detail } = JSON.parse(answer.body);
    strictEqual(status, 421);
    match(detail, /npx adsim fleet URL\.\.\. -- METHOD PATH/);
  }
  connection.close();
  deepStrictEqual(await journals(), before);
  await expectAlike(
    service,
    lookAlike.map((target) => requestText("GET", target)),
  );
}

/** A replica gets the headers that the client sent, and no others. */
export async function passesHeaders({ port, replicaPorts, alone }: Service): Promise<void> {
  await resetAll([alone, ...replicaPorts]);
  const headers = {
    Accept: "*/*",
    x_underscore: "1",
    "x-empty": "",
    "X.Odd!#$": "2",
    Cookie: "a=b",
  };
  const request = requestText("GET", "/v1/click", headers);
  await answersTo(alone, [request]);
  await answersTo(port, [request]);
  const [expected, ...others] = await controlAll<{
    entries: { request: { headers: Record<string, string> } }[];
  }>([alone, ...replicaPorts], "GET /_sim/journal");
  const arrived = others.flatMap(({ entries }) => entries);
  deepStrictEqual(
    arrived.map((entry) => entry.request),
    expected?.entries.map((entry) => entry.request),
  );
}

/** However a key is spelt, its replica answers. */
export async function keepsSpellingsTogether(service: Service): Promise<void> {
  const { port, replicaPorts, publishers } = service;
  await resetAll(replicaPorts);
  const chosen = publishers.slice(0, 12);
  for (const { id, apiKey, surfaces } of chosen) {
    const body = JSON.stringify({ publisher_id: id, surface: surfaces[0]?.id, ad_id: "a" });
    const spellings = [
      ["Authorization", `Bearer ${apiKey}`],
      ["authorization", `bearer ${apiKey}`],
      ["AUTHORIZATION", `BEARER    ${apiKey}`],
      ["Authorization", `  bEaReR ${apiKey}  `],
      ["Authorization", `\t Bearer ${apiKey}\t`],
    ] as const;
    const targets = ["/v1/impression", "/@default/v1/impression", "http://localhost/v1/impression"];
    const requests = spellings.flatMap(([name, value]) =>
      targets.map((target) =>
        requestText("POST", target, { [name]: value, "Content-Type": "application/json" }, body),
      ),
    );
    const answers = await answersTo(port, requests);
    ok(
      answers.every((answer) => answer.startsWith("200\n")),
      answers.join(),
    );
  }
  const audits = await controlAll<Audit>(replicaPorts, "GET /_sim/audit");
  for (const { id, apiKey } of chosen) {
    const counts = audits.map(
      (audit) => audit.publishers.find(({ publisher }) => publisher === id)?.impressions.applied,
    );
    const expected = replicaPorts.map((_, index) =>
      index === replicaOf("default", apiKey) ? 15 : undefined,
    );
    deepStrictEqual(counts, expected);
  }
}

/** Requests that no replica knows the sender of get the same bytes from each. */
export async function answersUnauthenticatedAlike({
  replicaPorts,
  alone,
  publishers,
}: Service): Promise<void> {
  const [publisher] = publishers;
  const headers = [
    {},
    { authorization: "" },
    { authorization: "Bearer key_unknown" },
    { authorization: `Bearer ${publisher?.apiKey}x` },
    { authorization: "Basic dTpw" },
    { origin: "http://localhost:5173", "access-control-request-method": "POST" },
  ];
  const requests = headers.flatMap((sent) =>
    ["GET", "HEAD", "POST", "OPTIONS"].flatMap((method) =>
      ["/", "/v1/impression", `/@${WORLD}/v1/publisher/stats`, "/@no%20name/v1/click"].map(
        (target) => requestText(method, target, sent),
      ),
    ),
  );
  const expected = await answersTo(alone, requests);
  for (const port of replicaPorts) deepStrictEqual(await answersTo(port, requests), expected);
}

/** Heads that are about as long as adsim takes them, and requests that create a world. */
const large = [
  requestText("GET", "/v1/click", { "x-long": "a".repeat(31_000) }),
  requestText("GET", `/v1/click?long=${"a".repeat(31_000)}`),
  requestText(
    "GET",
    "/v1/click",
    Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`x-${index}`, "1"])),
  ),
  requestText("GET", "/@new/v1/click", { x_underscore: "1", "x-empty": "" }),
  requestText("GET", "/@new/v1/click").replace("Host: localhost", "Host: ads.example"),
  requestText("GET", "/@newer/v1/click").replace("Host: localhost", "Host: ads.example"),
];

/** The requests that every transport must answer alike: with unusual paths, bodies and names. @returns how many there are. */
export async function passesParity(service: Service, prefix: string): Promise<number> {
  const requests = recordRequests(settings).map(({ method, target, headers, body }) =>
    requestText(method, prefix + target, headers, body),
  );
  requests.push(...large);
  await expectAlike(service, requests);
  return requests.length;
}
