/** The requests that every transport must answer alike, one of each kind. The ids in them come from a run in process. */

import { createSimulator, type Publisher, type SimulatorOptions } from "../src/index.ts";

/** The world that every transport plays the list in. */
export const parityOptions: SimulatorOptions = {
  seed: "parity",
  profile: "adversarial",
  publishers: 12,
  clock: "frozen",
  cors: "https://app.example",
};

/** The same with answers of another form: headers and bodies that a transport could get wrong in its own way. */
export const otherForm: SimulatorOptions = {
  ...parityOptions,
  assumptions: {
    "errors.body": "empty",
    "ids.format": "url-unsafe",
    "response.form": "evolved",
  },
};

/** A request as `fetch` can send it. `target`: path and query. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

type Headers = RecordedRequest["headers"];
type Row = readonly [
  method: string,
  target: string,
  body?: RecordedRequest["body"] | object,
  headers?: Headers,
];

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

  const own = queryOf(owner);
  const ad = { publisher_id: owner.id, surface: owner.surfaces[0]?.id ?? "", ad_id: "ad-1" };
  const [shown, ...impressions] = impressionsOf(ad, spent).map((row) => requestOf(owner, row));
  if (shown === undefined) throw new Error("There is no impression.");
  const recorded = sim.handle({ ...shown, path: shown.target }).body;
  const { impression_id } = JSON.parse(recorded) as { impression_id: string };

  const surfacesOf = (publisher: Publisher): RecordedRequest => ({
    ...{ method: "GET", target: `/v1/publisher/surfaces?${queryOf(publisher)}` },
    headers: withKey(publisher),
  });
  return [
    shown,
    ...impressions,
    ...[
      ...clicksOn(impression_id, spent),
      ...readsOf(own, spent),
      ...brokenBodies,
      ...unroutable,
    ].map((row) => requestOf(owner, row)),
    // Every name of the adversarial population, and a limit that is used up by one publisher only.
    ...others.map(surfacesOf),
    ...Array.from({ length: 61 }, () => surfacesOf(spent)),
    { ...surfacesOf(spent), method: "HEAD" },
  ];
}

/** An object is sent as JSON. Headers come beside the owner's key, unless there are none. */
function requestOf(owner: Publisher, [method, target, body, headers]: Row): RecordedRequest {
  const isObject = typeof body === "object" && !(body instanceof Uint8Array);
  const type = isObject ? JSON_TYPE : {};
  return {
    ...{ method, target },
    headers: { ...(headers !== none && withKey(owner)), ...type, ...headers },
    body: isObject ? JSON.stringify(body) : body,
  };
}

/** Without a key. */
const none: Headers = {};

function impressionsOf(ad: Readonly<Record<string, string>>, other: Publisher): Row[] {
  const path = "/v1/impression";
  const form = new URLSearchParams({ ...ad, session_id: "form & 🚀" }).toString();
  const unicode = { ...ad, session_id: "नमस्ते 🧑‍🚀" };
  const text = JSON.stringify({ ...ad, session_id: "bytes" });
  return [
    ["POST", path, ad],
    ["POST", path, unicode],
    ["POST", path, unicode],
    ["POST", path, form, FORM_TYPE],
    ["POST", `${path}?${form}`],
    ["POST", `${path}?session_id=query`, ad],
    // A body without a content type counts as JSON. Only bytes go out without one.
    ["POST", path, new Uint8Array(new TextEncoder().encode(text))],
    ["POST", path, { ...ad, ad_id: 17 }],
    ["POST", path, { ...ad, ad_id: "\0" }],
    ["POST", path, { ...ad, surface: "nowhere" }],
    ["POST", path, { ...ad, publisher_id: other.id }],
    ["POST", path, ad, none],
  ];
}

function clicksOn(impression_id: string, other: Publisher): Row[] {
  return [
    ["POST", "/v1/click", { impression_id }],
    ["POST", "/v1/click", { impression_id }],
    ["POST", "/v1/click", { impression_id: null }],
    ["POST", "/v1/click", { impression_id }, withKey(other)],
    ["POST", `/v1/click?${new URLSearchParams({ impression_id })}`],
  ];
}

function readsOf(own: string, other: Publisher): Row[] {
  const all = ["stats", "surfaces", "payouts"].flatMap((name): Row[] => [
    ["GET", `/v1/publisher/${name}?${own}`],
    ["HEAD", `/v1/publisher/${name}?${own}`],
  ]);
  const queries = [
    ...["from=2025-12-01&to=2025-12-31", "from=2026-02-29", "to=", "from=%zz", own],
    ...["__proto__=1", "colour=%E2%98%83", `colour=${"x".repeat(9000)}`],
  ];
  const payouts = "/v1/publisher/payouts";
  return [
    ...all,
    ["GET", payouts],
    ["GET", `${payouts}?${queryOf(other)}`],
    ["GET", `${payouts}?${own}`, undefined, none],
    ["HEAD", payouts, undefined, none],
    ["GET", `${payouts}?${own}`, undefined, { authorization: "Basic dTpw" }],
    ["GET", `${payouts}?${own}&limit=%31`],
    ["GET", `${payouts}?${own}`, undefined, ORIGIN],
    ["GET", payouts, undefined, { origin: "https://evil.example" }],
    ["OPTIONS", payouts, undefined, PREFLIGHT],
    ["OPTIONS", "/v1/nothing", undefined, PREFLIGHT],
    ...queries.map((query): Row => ["GET", `/v1/publisher/stats?${own}&${query}`]),
  ];
}

const bodies: readonly RecordedRequest["body"][] = [
  ...["", "{", "[]", '{"impression_id":"a","impression_id":"b"}', "x".repeat(65_537)],
  ...['{"__proto__":{"impression_id":"a"}}', new Uint8Array([0x7b, 0xff, 0x7d])],
];
const brokenBodies: readonly Row[] = [
  ...bodies.map((body): Row => ["POST", "/v1/click", body, JSON_TYPE]),
  ["POST", "/v1/click", "{}", { "content-type": "text/plain" }],
  ["POST", "/v1/click", "{}", { "content-type": "application/json; charset=utf-16" }],
  ["POST", "/v1/click", "a=%ff&b", FORM_TYPE],
];

const paths = [
  "/",
  "/v1/click/",
  "/v1/publisher/stats/?a=b%20c&d=%22",
  "//v1/click",
  "/v1/%63lick",
];
const unroutable: readonly Row[] = [
  ...paths.map((path): Row => ["POST", path]),
  ...["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].map((method): Row => [method, "/v1/click"]),
];
