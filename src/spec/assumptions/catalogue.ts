/**
 * The assumptions: questions that the spec leaves open, each with a key and its choices. Every choice here works: the
 * compiler compares each table that implements a key with this one.
 */

/** One assumption: an open question of the spec. */
export interface OpenPoint {
  readonly question: string;
  /** The part of the spec that is silent. */
  readonly spec: string;
  /** The name of the default choice. */
  readonly default: string;
  /** Each choice in a sentence. Their order means nothing: objects list names such as "404" first. */
  readonly choices: Readonly<Record<string, string>>;
  /** What a client must not rely on. */
  readonly caution: string;
}

export const catalogue = {
  "request.encoding": {
    question: "How are the parameters of the POST endpoints sent?",
    spec: "§4",
    default: "any",
    choices: {
      any: "As JSON, as a form or in the query, all of them understood.",
      json: "As a JSON body; any other way is refused with 415.",
      form: "As a form body; any other way is refused with 415.",
      query: "In the query; any body is refused with 415.",
    },
    caution: "That an encoding other than the one you send is understood, or refused.",
  },
  "request.unknown-fields": {
    question: "What happens to a parameter that the spec doesn't know?",
    spec: "§4",
    default: "ignore",
    choices: {
      ignore: "It is ignored.",
      reject: "The request is refused, naming it.",
    },
    caution: "That additional parameters pass.",
  },
  "request.empty-value": {
    question: "What does an empty parameter mean?",
    spec: "§4",
    default: "reject",
    choices: {
      reject: "It is a wrong value, optional or not.",
      absent: "An optional one counts as not sent.",
    },
    caution: "That an empty string stands for nothing.",
  },
  "request.scalar-types": {
    question: "May a JSON body hold a number where a string is documented, or the reverse?",
    spec: "§4",
    default: "coerce",
    choices: {
      coerce:
        "A number is read as its decimal text. A whole number past 2^53 is refused, since JSON parsers lose its digits. Decimal text is read as a number.",
      strict: "The documented JSON type alone is accepted.",
    },
    caution: "That ids may be sent as numbers.",
  },
  "auth.failure": {
    question: "What answers a missing or unknown API key?",
    spec: "§7",
    default: "401",
    choices: {
      "401": "401 with WWW-Authenticate.",
      "401-bare": "401 without WWW-Authenticate.",
      "403": "403.",
    },
    caution: "The status alone: it may be shared with other failures.",
  },
  "auth.key-scope": {
    question: "Is an API key bound to one publisher?",
    spec: "§5.4",
    default: "publisher",
    choices: {
      publisher: "A key serves the publisher that it was given to.",
      any: "Any publisher's key serves every publisher; the recording limit is that of the one named.",
    },
    caution: "That a key works for a second publisher.",
  },
  "auth.foreign-publisher": {
    question: "What answers a key that asks for another publisher?",
    spec: "§7",
    default: "403",
    choices: {
      "403": "403: the publisher exists, the key is not its key.",
      "404": "404, the same bytes as for a publisher that doesn't exist.",
    },
    caution: "That the answer tells whether a publisher exists.",
  },
  "auth.scheme-case": {
    question: "Is `bearer` in lower case accepted?",
    spec: "§5.2",
    default: "any",
    choices: {
      any: "The scheme is read in any case, as RFC 9110 has it.",
      exact: "Only `Bearer` is accepted.",
    },
    caution: "That any spelling but `Bearer` works.",
  },
  "errors.body": {
    question: "What shape has an error body?",
    spec: "§7",
    default: "problem",
    choices: {
      problem: "RFC 9457 problem details, application/problem+json.",
      envelope: "JSON: an object `error` with a code and a message.",
      flat: "JSON: a text `error`.",
      list: "JSON: a list `errors` of objects with a code and a message.",
      text: "Plain text.",
      html: "An HTML page.",
      empty: "None: the body is empty.",
    },
    caution: "That an error body is JSON, or has a certain member.",
  },
  "errors.invalid": {
    question: "Which status has a wrong parameter?",
    spec: "§7",
    default: "400",
    choices: { "400": "400.", "422": "422." },
    caution: "One status for all client errors.",
  },
  "errors.method": {
    question: "What answers a wrong method on a known path?",
    spec: "§7",
    default: "405",
    choices: { "405": "405 with Allow.", "404": "404, as for an unknown path." },
    caution: "Finding out methods by trying.",
  },
  "http.trailing-slash": {
    question: "Is a path with a slash at its end the same path?",
    spec: "§4",
    default: "404",
    choices: { "404": "No: 404.", same: "Yes.", "308": "No: 308 to the path without it." },
    caution: "That paths are normalised.",
  },
  "http.head": {
    question: "Do the GET endpoints answer HEAD?",
    spec: "§4",
    default: "supported",
    choices: { supported: "Yes, as GET without the body.", "405": "No: 405." },
    caution: "That HEAD works.",
  },
  "http.content-type": {
    question: "Which content type has a success body?",
    spec: "§4",
    default: "json",
    choices: {
      json: "application/json",
      "json-charset": "application/json; charset=utf-8",
    },
    caution: "The exact text of Content-Type.",
  },
  "http.cors": {
    question: "May a web page of another origin call the API?",
    spec: "§4",
    default: "any",
    choices: {
      any: "Yes, pages of loopback origins and of those named with --cors: preflights are answered, and every answer has CORS headers.",
      none: "No. Answers have no CORS headers, and a preflight gets 405 like any other OPTIONS.",
    },
    caution: "That a web page may call the API.",
  },
  "limit.algorithm": {
    question: "What does “per minute” mean?",
    spec: "§8",
    default: "fixed-window",
    choices: {
      "fixed-window": "Per minute of the clock, from second 0 to second 59.",
      "fixed-from-first":
        "Per minute that begins with the first request after the last such minute.",
      "sliding-log": "In any 60 seconds, exactly.",
      "sliding-counter":
        "This minute of the clock, and the share of the one before that lies less than 60 seconds back.",
      "token-bucket": "Quota comes back evenly, one request at a time, up to a full minute's.",
    },
    caution: "When quota comes back.",
  },
  "limit.exceeded": {
    question: "Which status has a request over the limit?",
    spec: "§8",
    default: "429",
    choices: { "429": "429.", "403": "403.", "503": "503." },
    caution: "That it is 429.",
  },
  "limit.retry-after": {
    question: "Does a refusal by the limit say when to come back?",
    spec: "§8",
    default: "seconds",
    choices: {
      seconds: "Retry-After in whole seconds.",
      "http-date": "Retry-After as an HTTP date.",
      absent: "No.",
    },
    caution: "That Retry-After is there.",
  },
  "limit.headers": {
    question: "Which limit headers come with X-RateLimit-Remaining?",
    spec: "§8",
    default: "remaining",
    choices: {
      remaining: "None.",
      "limit-reset":
        "X-RateLimit-Limit, and in X-RateLimit-Reset the Unix time at which all quota is back.",
      ietf: "RateLimit-Policy and RateLimit, as the IETF drafts them.",
    },
    caution: "Any header but X-RateLimit-Remaining.",
  },
  "limit.recording-pool": {
    question: "Do impressions and clicks share the 10,000?",
    spec: "§8",
    default: "shared",
    choices: { shared: "Yes.", separate: "No: clicks have 10,000 of their own." },
    caution: "Either: leave room for both.",
  },
  "limit.reporting-endpoints": {
    question: "Which endpoints are “stats and reporting”?",
    spec: "§8",
    default: "all-get",
    choices: {
      "all-get": "All GET endpoints, in one pool.",
      "stats-only": "Stats alone; surfaces and payouts are unlimited.",
    },
    caution: "That a GET endpoint is unlimited.",
  },
  "limit.rejected-requests": {
    question: "Does a request that is refused for another reason spend quota?",
    spec: "§8",
    default: "spend",
    choices: {
      spend: "Yes, once its operation and its key are known.",
      free: "No: its quota is given back.",
    },
    caution: "That failed requests are free.",
  },
  "dedup.key": {
    question: "What makes two impressions the same?",
    spec: "§4",
    default: "surface-ad-session",
    choices: {
      "surface-ad-session": "Publisher, surface, ad and session.",
      "surface-session": "Publisher, surface and session, whichever the ad.",
      session: "Publisher and session alone.",
    },
    caution: "That two ads in one session both count, or that they don't.",
  },
  "dedup.window": {
    question: "How long is an impression remembered for de-duplication?",
    spec: "§4",
    default: "30m",
    choices: {
      "30m": "30 minutes from the one that counted.",
      "24h": "24 hours from the one that counted.",
      forever: "For good.",
    },
    caution: "The exact length.",
  },
  "dedup.repeat": {
    question: "What answers a duplicate impression?",
    spec: "§4",
    default: "original-uncredited",
    choices: {
      "original-uncredited": "The id of the first one, with 0 credited.",
      replay: "The same bytes as the first answer.",
      conflict: "409.",
      count: "Nothing is a duplicate: it counts again.",
    },
    caution: "That a repeated impression earns, or fails.",
  },
  "click.unknown": {
    question: "What answers a click on an impression that the publisher doesn't have?",
    spec: "§4",
    default: "404",
    choices: {
      "404": "404.",
      "400": "400.",
      "accept-uncredited": "200 with a click_id and 0 credited; nothing is recorded.",
    },
    caution: "The status.",
  },
  "click.repeat": {
    question: "What answers a second click on one impression?",
    spec: "§4",
    default: "original-uncredited",
    choices: {
      "original-uncredited": "The id of the first click, with 0 credited.",
      replay: "The same bytes as the first answer.",
      conflict: "409.",
      count: "It counts and earns again, with an id of its own.",
    },
    caution: "That a second click earns, or fails.",
  },
  "click.window": {
    question: "How long after its impression may a click come?",
    spec: "§4",
    default: "none",
    choices: {
      none: "At any time.",
      "24h": "Less than 24 hours; after that it is 410.",
      "7d": "Less than 7 days; after that it is 410.",
      "30d": "Less than 30 days; after that it is 410.",
    },
    caution: "That late clicks count.",
  },
  "click.revenue": {
    question: "Does a click earn?",
    spec: "§1",
    default: "cpc",
    choices: { cpc: "The surface's price per click.", zero: "Nothing, in the seeded history too." },
    caution: "That a click's credit is above zero.",
  },
  "surface.unknown": {
    question: "What answers a surface that the publisher doesn't have?",
    spec: "§4",
    default: "404",
    choices: {
      "404": "404.",
      "400": "400.",
      empty: "Stats are zeros without rows; an impression is 404.",
    },
    caution: "The status.",
  },
  "surface.inactive": {
    question: "What answers an impression on a surface that is not active?",
    spec: "§3",
    default: "reject",
    choices: { reject: "409.", uncredited: "It is recorded, with 0 credited." },
    caution: "That an impression on a paused surface fails.",
  },
  "surface.statuses": {
    question: "Which surface statuses occur from the start?",
    spec: "§3",
    default: "documented",
    choices: {
      documented: "Only `active`, until someone sets another.",
      extended:
        "`paused`, `pending_review` and `archived` too. Such a surface's seeded history ended earlier, or never began.",
    },
    caution: "That `active` is the only status.",
  },
  "payout.statuses": {
    question: "Which payout statuses occur?",
    spec: "§3",
    default: "documented",
    choices: {
      documented: "Only `paid`: a payout is listed once it is paid.",
      extended:
        "`processing` when it is listed, then `paid`; some are `on_hold`, `failed` or `reversed`.",
    },
    caution: "That `paid` is the only status.",
  },
  "payout.txn-id": {
    question: "Which txn_id has a payout that is not paid?",
    spec: "§2",
    default: "empty",
    choices: {
      empty: "An empty string.",
      null: "null; needs payout.statuses=extended.",
      absent: "The field is left out; needs payout.statuses=extended.",
    },
    caution: "That txn_id is a text of some length.",
  },
  "payout.limit-over-max": {
    question: "What answers a limit above 100?",
    spec: "§4",
    default: "reject",
    choices: { reject: "It is refused, naming it.", clamp: "It counts as 100." },
    caution: "Asking for more than 100.",
  },
  "payout.order": {
    question: "In which order are payouts listed?",
    spec: "§4",
    default: "newest-first",
    choices: { "newest-first": "Newest first.", "oldest-first": "Oldest first." },
    caution: "The order: sort by date.",
  },
  "payout.cycle": {
    question: "When is revenue paid?",
    spec: "§3",
    default: "monthly",
    choices: {
      monthly: "A calendar month's revenue on the 7th of the next.",
      weekly: "The revenue of a week from Monday to Sunday on the Wednesday of the next.",
    },
    caution: "A payout on a certain day.",
  },
  "payout.threshold": {
    question: "What is the smallest amount that is paid out?",
    spec: "§3",
    default: "500",
    choices: {
      "500": "500 INR. A smaller amount rolls over to the next cycle.",
      none: "There is no minimum: every cycle with revenue is paid.",
    },
    caution: "That a cycle with revenue ends in a payout, or that small amounts roll over.",
  },
  "date.timezone": {
    question: "Whose midnight begins a day?",
    spec: "§1",
    default: "utc",
    choices: {
      utc: "UTC's.",
      ist: "India's: 18:30 UTC of the day before.",
    },
    caution: "That “today” is the client's today.",
  },
  "date.inverted-range": {
    question: "What answers a period whose start is after its end?",
    spec: "§4",
    default: "reject",
    choices: {
      reject: "It is refused.",
      empty: "The period as asked, with zeros.",
      swap: "The two dates change places.",
    },
    caution: "Any answer to it.",
  },
  "date.future": {
    question: "May a period reach past today?",
    spec: "§4",
    default: "allow",
    choices: { allow: "Yes; nothing has happened there yet.", reject: "It is refused." },
    caution: "That future dates pass.",
  },
  "stats.today": {
    question: "Is today's traffic visible today?",
    spec: "§4",
    default: "live",
    choices: { live: "At once.", "next-day": "From tomorrow on." },
    caution: "That stats lag, or that they don't.",
  },
  "stats.surfaces": {
    question: "Which surfaces have a row in the stats?",
    spec: "§2",
    default: "all",
    choices: {
      all: "Every surface of the publisher.",
      "with-traffic": "Those with an impression or a click in the period.",
    },
    caution: "That a surface without traffic has a row.",
  },
  "stats.filter-unlisted": {
    question: "With `surface=…`, what becomes of the rows of the others?",
    spec: "§4",
    default: "omitted",
    choices: {
      omitted: "They are left out.",
      zeroed:
        "They stay, with zeros. stats.surfaces=with-traffic still leaves them out, since they have no traffic.",
    },
    caution: "That there is exactly one row.",
  },
  "ids.format": {
    question: "What do ids look like?",
    spec: "§2",
    default: "prefixed",
    choices: {
      prefixed: "A short prefix and 13 letters and digits.",
      uuid: "UUIDs of version 4.",
      digits: "20 digits, too many for a JSON number.",
      long: "200 letters, digits and underscores.",
      "url-unsafe": "Base 64 with `+`, `/` and `=`, which a URL must escape.",
    },
    caution: "Any prefix, length or alphabet.",
  },
  "money.precision": {
    question: "How fine are amounts in responses?",
    spec: "§2",
    default: "exact",
    choices: {
      exact: "To the micro-INR.",
      paise: "To the paisa, each amount rounded half up; the books stay exact.",
    },
    caution: "A number of decimals.",
  },
  "response.extra-fields": {
    question: "Do responses hold fields that the spec doesn't list?",
    spec: "§2",
    default: "none",
    choices: {
      none: "No.",
      present:
        "Yes, every object of a success body has some. They come last, unless response.key-order=shuffled.",
    },
    caution: "That no other field ever comes.",
  },
  "response.key-order": {
    question: "Which order have the keys of a JSON object?",
    spec: "§2",
    default: "documented",
    choices: {
      documented: "The spec's.",
      shuffled: "Any but the spec's; the same for the same body.",
    },
    caution: "The order of keys.",
  },
} as const;

// Exported to callers, and read by the simulator: nobody may change it.
freezeDeeply(catalogue);

catalogue satisfies Record<string, OpenPoint>;
catalogue satisfies {
  readonly [Key in AssumptionKey]: { readonly default: Choice<Key> };
};

export type AssumptionKey = keyof typeof catalogue;

export type Choice<Key extends AssumptionKey> = keyof (typeof catalogue)[Key]["choices"] & string;

/** One choice for every assumption. */
export type Assumptions = { readonly [Key in AssumptionKey]: Choice<Key> };

function freezeDeeply(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freezeDeeply(part);
}
