/**
 * The assumptions and their choices, written out a second time: an oracle that used the simulator's own list couldn't
 * notice a choice that is missing there. If one is missing here, the code doesn't compile.
 */

export interface Readings {
  readonly "request.encoding": "any" | "json" | "form" | "query";
  readonly "request.unknown-fields": "ignore" | "reject";
  readonly "request.empty-value": "reject" | "absent";
  readonly "request.scalar-types": "coerce" | "strict";
  readonly "auth.failure": "401" | "401-bare" | "403";
  readonly "auth.key-scope": "publisher" | "any";
  readonly "auth.foreign-publisher": "403" | "404";
  readonly "errors.body": "problem" | "envelope" | "flat" | "list" | "text" | "html" | "empty";
  readonly "errors.invalid": "400" | "422";
  readonly "http.content-type": "json" | "json-charset";
  readonly "http.cors": "any" | "none";
  readonly "limit.algorithm": "fixed-window" | "sliding-log" | "token-bucket";
  readonly "limit.exceeded": "429" | "403" | "503";
  readonly "limit.retry-after": "seconds" | "http-date" | "absent";
  readonly "limit.recording-pool": "shared" | "separate";
  readonly "limit.reporting-endpoints": "all-get" | "stats-only";
  readonly "dedup.key": "surface-ad-session" | "surface-session" | "session";
  readonly "dedup.window": "30m" | "24h" | "forever";
  readonly "dedup.repeat": "original-uncredited" | "replay" | "conflict" | "count";
  readonly "click.unknown": "404" | "400" | "accept-uncredited";
  readonly "click.repeat": "original-uncredited" | "replay" | "conflict" | "count";
  readonly "click.window": "none" | "24h" | "7d" | "30d";
  readonly "click.revenue": "cpc" | "zero";
  readonly "surface.unknown": "404" | "400" | "empty";
  readonly "surface.inactive": "reject" | "uncredited";
  readonly "surface.statuses": "documented" | "extended";
  readonly "payout.statuses": "documented" | "extended";
  readonly "payout.txn-id": "empty" | "null" | "absent";
  readonly "payout.limit-over-max": "reject" | "clamp";
  readonly "payout.order": "newest-first" | "oldest-first";
  readonly "payout.cycle": "monthly" | "weekly";
  readonly "payout.threshold": "500" | "none";
  readonly "date.timezone": "utc" | "ist";
  readonly "date.inverted-range": "reject" | "empty" | "swap";
  readonly "date.future": "allow" | "reject";
  readonly "stats.today": "live" | "next-day";
  readonly "stats.surfaces": "all" | "with-traffic";
  readonly "stats.filter-unlisted": "omitted" | "zeroed";
  readonly "ids.format": "prefixed" | "uuid" | "digits" | "long" | "url-unsafe";
  readonly "money.precision": "exact" | "paise";
  readonly "response.extra-fields": "none" | "present";
  readonly "response.key-order": "documented" | "shuffled";
}
