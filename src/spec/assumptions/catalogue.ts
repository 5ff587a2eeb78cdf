/**
 * The assumptions: questions that the spec leaves open, each with a key and its choices. Every choice here works: the
 * compiler compares each table that implements a key with this one.
 */

/** One assumption: an open question of the spec. */
export interface Assumption {
  readonly question: string;
  /** The part of the spec that is silent. */
  readonly spec: string;
  /** The name of the default choice. */
  readonly default: string;
  /** Each choice in a sentence. Objects list names such as "404" first, whatever the order. */
  readonly choices: Readonly<Record<string, string>>;
  /** What else is true, whatever the choice. */
  readonly note?: string;
  /** What a client must not rely on, as a sentence. */
  readonly caution: string;
}

const points = {
  "request.encoding": {
    question: "How must the parameters of the POST endpoints be sent?",
    spec: "§4",
    choices: {
      any: "As a JSON body, as a form body or in the query. A body without Content-Type is read as JSON.",
      json: "As a JSON body. Anything else gets 415. A body without Content-Type is read as JSON.",
      form: "As a form body. Anything else gets 415. A body without Content-Type is read as a form.",
      query: "In the query. Any body gets 415.",
    },
    note: "Under `json` and `form` the query is checked first. If it has a parameter twice, the request gets 400 (422 under errors.invalid=422), not 415.",
    caution:
      "Keep the encoding in one place of the client, easy to change: the spec doesn't say which one the service takes.",
  },
  "request.values": {
    question: "How strictly are parameters read?",
    spec: "§4",
    choices: {
      lenient:
        'A parameter that the spec doesn\'t define is ignored. In a JSON body a number is read as its decimal text: 7 is "7". A whole number from 2^53 on is refused, since JSON parsers lose its digits.',
      strict:
        "A parameter that the spec doesn't define, and a number in a JSON body, get 400, or 422 under errors.invalid=422.",
    },
    note: "An empty parameter is invalid, even an optional one. JSON null is empty, like an empty string.",
    caution: "Don't send extra parameters, empty ones, or ids as numbers.",
  },
  "auth.failure": {
    question: "What status does a missing or unknown API key get?",
    spec: "§7",
    choices: {
      "401": "401 Unauthorized, with the header WWW-Authenticate.",
      "403": "403 Forbidden.",
    },
    caution: "Don't go by the status alone: other failures may have the same.",
  },
  "auth.key-scope": {
    question: "Is an API key bound to one publisher?",
    spec: "§5.4",
    choices: {
      publisher:
        "Yes. A request about another publisher gets 403, about one that doesn't exist 404.",
      "publisher-hidden":
        "Yes. A request about another publisher gets 404, with the same bytes as for one that doesn't exist.",
      any: "No. Any publisher's key works for every publisher. An impression or click counts against the limit of the publisher that it is for. One that is invalid, or names nothing that exists, counts against the limit of the publisher that owns the key. A GET request always counts against the limit of the key.",
    },
    caution:
      "Don't use a key for a second publisher, or the status to find out whether a publisher exists.",
  },
  "errors.body": {
    question: "What does an error body look like?",
    spec: "§7",
    choices: {
      problem: "RFC 9457 problem details, as application/problem+json.",
      envelope: "JSON: `error` is an object with a code and a message.",
      flat: "JSON: `error` is a string.",
      list: "JSON: `errors` is a list of objects with a code and a message.",
      text: "Plain text.",
      html: "An HTML page.",
      empty: "There is none.",
    },
    caution: "Don't assume that an error body is JSON, or that it has a certain member.",
  },
  "errors.invalid": {
    question: "What status does an invalid parameter get?",
    spec: "§7",
    choices: {
      "400": "400 Bad Request.",
      "422": "422 Unprocessable Content. A request or body that can't be parsed still gets 400.",
    },
    note: "A parameter that is missing, is sent twice or is refused as unknown gets the same status. For an unknown surface or impression, see surface.unknown and click.unknown.",
    caution: "Don't expect one status for all client errors.",
  },
  "response.form": {
    question: "May successes differ from the letter of the spec?",
    spec: "§2",
    choices: {
      documented: "No.",
      evolved:
        "Yes. Each object has more fields, its keys are in another order, always the same for the same body, and Content-Type is `application/json; charset=utf-8`.",
    },
    caution:
      "Don't reject a field that you don't know, rely on the order of keys, or compare the whole text of Content-Type.",
  },
  "http.cors": {
    question: "May a web page of another origin call the API?",
    spec: "§4",
    choices: {
      any: "Yes, from any origin that is loopback or named with --cors. Preflights are answered, and every answer to such a page has CORS headers.",
      none: "No. Answers have no CORS headers, and a preflight is refused like any other OPTIONS request.",
    },
    caution: "Don't assume that a web page may call the API.",
  },
  "limit.algorithm": {
    question: "What does “per minute” mean?",
    spec: "§8",
    choices: {
      "fixed-window": "In each minute of the clock, from second 0 to second 59.",
      "sliding-log": "In any 60 seconds, counted exactly.",
      "token-bucket":
        "Quota comes back evenly, one request at a time, up to a full minute's quota.",
    },
    caution: "Don't rely on when quota comes back.",
  },
  "limit.exceeded": {
    question: "What status does a request over the limit get?",
    spec: "§8",
    default: "429",
    choices: {
      "429": "429 Too Many Requests.",
      "403": "403 Forbidden.",
      "503": "503 Service Unavailable.",
    },
    caution: "Don't rely on it being 429.",
  },
  "limit.retry-after": {
    question: "Does the answer to a request over the limit say when to come back?",
    spec: "§8",
    choices: {
      seconds: "Yes, with Retry-After in whole seconds.",
      "http-date": "Yes, with Retry-After as an HTTP date.",
      absent: "No.",
    },
    caution: "Don't assume that Retry-After is there.",
  },
  "limit.recording-pool": {
    question: "Do impressions and clicks share the limit of 10,000?",
    spec: "§8",
    choices: { shared: "Yes.", separate: "No. Clicks have a limit of 10,000 of their own." },
    caution: "Don't spend the whole limit on either: leave room for both.",
  },
  "limit.reporting-endpoints": {
    question: "Which endpoints are “stats and reporting endpoints”?",
    spec: "§8",
    choices: {
      "all-get": "All GET endpoints. They share one limit.",
      "stats-only":
        "Only stats. Surfaces and payouts have no limit, and their X-RateLimit-Remaining is always 60.",
    },
    caution: "Don't assume that a GET endpoint has no limit.",
  },
  "dedup.key": {
    question: "Which impressions are the same?",
    spec: "§4",
    choices: {
      "surface-ad-session": "Those with the same publisher, surface, ad and session.",
      session: "Those with the same publisher and session, even if ads and surfaces differ.",
    },
    note: "An impression without a session is never a duplicate.",
    caution: "Don't assume that two ads in one session both count, or that only one does.",
  },
  "dedup.window": {
    question: "How long is an impression remembered for de-duplication?",
    spec: "§4",
    choices: {
      "30m": "For 30 minutes from the impression that counted.",
      "24h": "For 24 hours from the impression that counted.",
      forever: "For good.",
    },
    caution: "Don't rely on the exact length.",
  },
  "dedup.repeat": {
    question: "What does a duplicate impression get?",
    spec: "§4",
    choices: {
      "original-uncredited": "200, with the id of the first impression and 0 credited.",
      replay: "The same bytes as the answer to the first impression.",
      conflict: "409 Conflict.",
      count: "What any impression gets. Nothing is a duplicate, and it counts again.",
    },
    caution: "Don't assume that a repeated impression earns, or that it fails.",
  },
  "click.unknown": {
    question: "What answer does a click get if the publisher has no such impression?",
    spec: "§4",
    default: "404",
    choices: { "404": "404 Not Found.", "400": "400 Bad Request." },
    caution: "Don't rely on the status.",
  },
  "click.repeat": {
    question: "What does a second click on an impression get?",
    spec: "§4",
    choices: {
      "original-uncredited": "200, with the id of the first click and 0 credited.",
      replay: "The same bytes as the answer to the first click.",
      conflict: "409 Conflict.",
      count: "200. It counts and earns again, and has an id of its own.",
    },
    caution: "Don't assume that a second click earns, or that it fails.",
  },
  "click.window": {
    question: "How long after its impression may a click come?",
    spec: "§4",
    choices: { none: "Any time.", "24h": "Less than 24 hours. A later click gets 410." },
    note: "A click that is too late gets 410 even if it repeats one that counted.",
    caution: "Don't assume that late clicks count.",
  },
  "surface.unknown": {
    question: "What answer does a request get if the publisher has no such surface?",
    spec: "§4",
    default: "404",
    choices: { "404": "404 Not Found.", "400": "400 Bad Request." },
    caution: "Don't rely on the status.",
  },
  "surface.inactive": {
    question: "What does an impression get on a surface that is not active?",
    spec: "§3",
    choices: {
      reject: "409 Conflict, even if it repeats one that counted.",
      uncredited: "200. It is recorded with 0 credited. A click on it earns as usual.",
    },
    caution: "Don't assume that an impression on a paused surface fails.",
  },
  "surface.statuses": {
    question: "Which statuses do the seeded surfaces have?",
    spec: "§3",
    choices: {
      documented: "Only `active`, until you set another.",
      extended:
        "`paused`, `pending_review` and `archived` too. The seeded history of such a surface ended earlier, or it has none.",
    },
    caution: "Don't assume that `active` is the only status.",
  },
  "payout.statuses": {
    question: "Which payout statuses occur?",
    spec: "§3",
    choices: {
      documented: "Only `paid`. A payout is listed once it is paid.",
      extended:
        "`processing`, `on_hold`, `failed` and `reversed` too. A payout is `processing` for 3 days; then it is `paid`, `on_hold` or `failed`. A payout on hold is paid 42 days after its date, and a failed one 27 days after. Some that were paid are `reversed` after 15 days, for good. txn_id is an empty string unless a payout was paid.",
      "extended-without-txn": "The same statuses. txn_id is left out unless a payout was paid.",
    },
    note: "pending_inr never includes a payout that is listed, whatever its status. A `reversed` payout was paid, and keeps its txn_id.",
    caution:
      "Don't assume that `paid` is the only status, or that txn_id is there and isn't empty.",
  },
  "payout.limit-over-max": {
    question: "What happens to a limit above 100?",
    spec: "§4",
    choices: {
      reject: "The request gets 400, or 422 under errors.invalid=422.",
      clamp: "It counts as 100.",
    },
    caution: "Don't ask for more than 100.",
  },
  "payout.order": {
    question: "In what order are payouts listed?",
    spec: "§4",
    choices: { "newest-first": "Newest first.", "oldest-first": "Oldest first." },
    caution: "Don't rely on the order: sort by date.",
  },
  "date.timezone": {
    question: "At whose midnight does a day begin?",
    spec: "§1",
    choices: {
      utc: "At midnight UTC.",
      ist: "At midnight in India, which is 18:30 UTC of the day before.",
    },
    caution: "Don't assume that the service's today is the client's.",
  },
  "date.inverted-range": {
    question: "What happens if a period begins after its end?",
    spec: "§4",
    choices: {
      reject: "The request gets 400, or 422 under errors.invalid=422.",
      empty: "The answer has the two dates as they were sent, and zeros.",
    },
    caution: "Don't send such a period.",
  },
  "stats.today": {
    question: "Do stats include today's traffic?",
    spec: "§4",
    choices: {
      live: "Yes, at once.",
      "next-day": "No, only from tomorrow on. pending_inr includes it at once.",
    },
    caution: "Don't assume that stats lag, or that they don't.",
  },
  "stats.surfaces": {
    question: "Which surfaces have a row in the stats?",
    spec: "§2",
    choices: {
      all: "All surfaces of the publisher.",
      "with-traffic": "Those with an impression or a click in the period.",
    },
    caution: "Don't assume that a surface without traffic has a row.",
  },
  "ids.format": {
    question: "What do ids look like?",
    spec: "§2",
    choices: {
      prefixed: "A short prefix and 13 letters and digits.",
      uuid: "UUIDs of version 4.",
      digits: "20 digits, too many for a JSON number.",
      "url-unsafe": "Base64 with `+`, `/` and `=`, which must be escaped in a URL.",
    },
    caution: "Don't rely on a prefix, a length or an alphabet.",
  },
  "money.precision": {
    question: "How precise are amounts in responses?",
    spec: "§2",
    choices: {
      exact: "To the micro-INR, which is six decimals.",
      paise: "To the paisa. Each amount is rounded half up; the ledger stays exact.",
    },
    caution: "Don't rely on a number of decimals.",
  },
} as const satisfies Record<string, Omit<Assumption, "default"> & { readonly default?: string }>;

export type AssumptionKey = keyof typeof points;

export type Choice<Key extends AssumptionKey> = keyof (typeof points)[Key]["choices"] & string;

/** One choice for every assumption. */
export type Assumptions = { readonly [Key in AssumptionKey]: Choice<Key> };

/** The default is the first choice, unless another is named. */
export const catalogue = Object.fromEntries(
  Object.entries(points).map(([key, { question, spec, ...others }]) => {
    const [first] = Object.keys(others.choices);
    return [key, { question, spec, default: first, ...others }];
  }),
) as unknown as { readonly [Key in AssumptionKey]: Assumption & { readonly default: Choice<Key> } };

/** The names of its choices, the default first. */
export function choicesOf({ default: first, choices }: Assumption): readonly [string, ...string[]] {
  return [first, ...Object.keys(choices).filter((choice) => choice !== first)];
}
