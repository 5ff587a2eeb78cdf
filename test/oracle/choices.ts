/**
 * The assumptions and their choices, written out a second time: an oracle that used the simulator's own list couldn't
 * notice a choice that is missing there. If one is missing here, the code doesn't compile.
 */

export interface Choices {
  readonly "request.encoding": "any" | "json" | "form" | "query";
  readonly "request.values": "lenient" | "strict";
  readonly "auth.failure": "401" | "403";
  readonly "auth.key-scope": "publisher" | "publisher-hidden" | "any";
  readonly "errors.body": "problem" | "envelope" | "flat" | "list" | "text" | "html" | "empty";
  readonly "errors.invalid": "400" | "422";
  readonly "response.form": "documented" | "evolved";
  readonly "http.cors": "any" | "none";
  readonly "limit.algorithm": "fixed-window" | "sliding-log" | "token-bucket";
  readonly "limit.exceeded": "429" | "403" | "503";
  readonly "limit.retry-after": "seconds" | "http-date" | "absent";
  readonly "limit.recording-pool": "shared" | "separate";
  readonly "limit.reporting-endpoints": "all-get" | "stats-only";
  readonly "dedup.key": "surface-ad-session" | "session";
  readonly "dedup.window": "30m" | "24h" | "forever";
  readonly "dedup.repeat": "original-uncredited" | "replay" | "conflict" | "count";
  readonly "click.unknown": "404" | "400";
  readonly "click.repeat": "original-uncredited" | "replay" | "conflict" | "count";
  readonly "click.window": "none" | "24h";
  readonly "surface.unknown": "404" | "400";
  readonly "surface.inactive": "reject" | "uncredited";
  readonly "surface.statuses": "documented" | "extended";
  readonly "payout.statuses": "documented" | "extended" | "extended-without-txn";
  readonly "payout.limit-over-max": "reject" | "clamp";
  readonly "payout.order": "newest-first" | "oldest-first";
  readonly "date.timezone": "utc" | "ist";
  readonly "date.inverted-range": "reject" | "empty";
  readonly "stats.today": "live" | "next-day";
  readonly "stats.surfaces": "all" | "with-traffic";
  readonly "ids.format": "prefixed" | "uuid" | "digits" | "url-unsafe";
  readonly "money.precision": "exact" | "paise";
}
