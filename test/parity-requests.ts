/** The requests that every transport must answer alike, one of each kind. The ids in them come from a run in process. */

import { createSimulator, type Publisher, type SimulatorOptions } from "../src/index.ts";

/** The world that every transport plays the list in. Its ids and answers are those that a transport could get wrong. */
export const parityOptions: SimulatorOptions = {
  seed: "parity",
  profile: "adversarial",
  publishers: 12,
  clock: "frozen",
  cors: "https://app.example",
  assumptions: { "ids.format": "url-unsafe", "response.form": "evolved" },
};

/** A request as `fetch` can send it. `target`: path and query. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

type Headers = RecordedRequest["headers"];
/** An object is sent as JSON. Headers come beside the owner's key, unless they are `none`. */
type Row = readonly [
  method: string,
  target: string,
  body?: RecordedRequest["body"] | object,
  headers?: Headers,
];

const none: Headers = {};
const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };
const ORIGIN = { origin: "https://app.example" };
const PREFLIGHT = { ...ORIGIN, "access-control-request-method": "GET" };

const queryOf = ({ id }: Publisher): string => String(new URLSearchParams({ publisher_id: id }));
const withKey = ({ apiKey }: Publisher): Headers => ({ authorization: `Bearer ${apiKey}` });

export function recordRequests(options: SimulatorOptions): RecordedRequest[] {
  const sim = createSimulator(options);
  const publishers = sim.publishers.list({ limit: 12 });
  const owner = publishers.find(({ surfaces }) => surfaces.length > 1);
  const [spent, ...others] = publishers.filter(({ id }) => id !== owner?.id);
  if (owner === undefined || spent === undefined) throw new Error("Publishers are missing.");

  const requestOf = ([method, target, body, headers]: Row): RecordedRequest => {
    const isObject = typeof body === "object" && !(body instanceof Uint8Array);
    const own = { ...(headers !== none && withKey(owner)), ...(isObject && JSON_TYPE), ...headers };
    return { method, target, headers: own, body: isObject ? JSON.stringify(body) : body };
  };
  const ad = { publisher_id: owner.id, surface: owner.surfaces[0]?.id ?? "", ad_id: "ad-1" };
  const shown = requestOf(["POST", "/v1/impression", ad]);
  const { impression_id } = JSON.parse(sim.handle({ ...shown, path: shown.target }).body);

  const surfacesOf = (publisher: Publisher, method = "GET"): RecordedRequest => ({
    ...{ method, target: `/v1/publisher/surfaces?${queryOf(publisher)}` },
    headers: withKey(publisher),
  });
  return [
    shown,
    ...[
      ...impressionsOf(ad, spent),
      ["POST", "/v1/click", { impression_id }] as const,
      ["POST", `/v1/click?${new URLSearchParams({ impression_id })}`] as const,
      ...readsOf(queryOf(owner), spent),
      ...brokenBodies,
      ...unroutable,
    ].map(requestOf),
    // Every name of the adversarial population, and a limit that is used up by one publisher only.
    ...others.map((publisher) => surfacesOf(publisher)),
    ...Array.from({ length: 61 }, () => surfacesOf(spent)),
    surfacesOf(spent, "HEAD"),
  ];
}

function impressionsOf(ad: Readonly<Record<string, string>>, other: Publisher): Row[] {
  const path = "/v1/impression";
  const form = new URLSearchParams({ ...ad, session_id: "form & 🚀" }).toString();
  const text = JSON.stringify({ ...ad, session_id: "bytes" });
  return [
    ["POST", path, { ...ad, session_id: "नमस्ते 🧑‍🚀" }],
    ["POST", path, form, FORM_TYPE],
    ["POST", `${path}?${form}`],
    // A body without a content type counts as JSON. Only bytes go out without one.
    ["POST", path, new Uint8Array(new TextEncoder().encode(text))],
    ["POST", path, { ...ad, ad_id: "\0" }],
    ["POST", path, { ...ad, surface: "nowhere" }],
    ["POST", path, { ...ad, publisher_id: other.id }],
    ["POST", path, ad, none],
  ];
}

function readsOf(own: string, other: Publisher): Row[] {
  const reads = ["stats", "surfaces", "payouts"].map((name) => `/v1/publisher/${name}?${own}`);
  const payouts = "/v1/publisher/payouts";
  return [
    ...reads.flatMap((target): Row[] => [
      ["GET", target],
      ["HEAD", target],
    ]),
    ["GET", `${payouts}?${queryOf(other)}`],
    ["HEAD", payouts, undefined, none],
    ["GET", `${payouts}?${own}`, undefined, { authorization: "Basic dTpw" }],
    ["GET", `${payouts}?${own}`, undefined, ORIGIN],
    ["GET", payouts, undefined, { origin: "https://evil.example" }],
    ["OPTIONS", payouts, undefined, PREFLIGHT],
    ...["from=%zz", own, "limit=%31", "colour=%E2%98%83", `colour=${"x".repeat(9000)}`].map(
      (query): Row => ["GET", `${payouts}?${own}&${query}`],
    ),
  ];
}

const brokenBodies: readonly Row[] = [
  ...["", "{", "x".repeat(65_537), new Uint8Array([0x7b, 0xff, 0x7d])].map(
    (body): Row => ["POST", "/v1/click", body, JSON_TYPE],
  ),
  ["POST", "/v1/click", "{}", { "content-type": "text/plain" }],
];

const unroutable: readonly Row[] = [
  ...["/", "/v1/click/", "/v1/publisher/stats/?a=b%20c&d=%22", "//v1/click", "/v1/%63lick"].map(
    (path): Row => ["POST", path],
  ),
  ...["GET", "HEAD", "DELETE", "OPTIONS"].map((method): Row => [method, "/v1/click"]),
];
