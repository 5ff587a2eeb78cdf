/** What a client makes of the answers to impressions and clicks (spec §2, §4). */

import type { Assumptions } from "../../../assumptions/catalogue.ts";
import { nearestMicros } from "../../../base/money.ts";
import { dedupWindowOf } from "../../../exchange/world.ts";
import { type Asked, askedOf, isHealthy, saidOf } from "../../session/asked.ts";
import { type RecordedEvent, recordsOf } from "../../session/records.ts";
import type { Session, Showing } from "../../session/session.ts";
import { jsonOf, memberOf } from "../../session/wire.ts";
import { mustPassOn, mustUnderstand } from "../as-answered.ts";
import { must, type Rule } from "../rule.ts";
import {
  clicks,
  everydaySequences,
  flushes,
  impressions,
  repeats,
  sequencesAfter,
  sequencesOf,
  shortPauses,
  statistics,
  surfaceLists,
  together,
} from "../sequences.ts";

/** What a client was asked about one showing. */
interface Report {
  readonly showing: Showing;
  /** Each time that it was asked to report it, and each time a click on it. */
  readonly showings: readonly Asked[];
  readonly clicks: readonly Asked[];
}

function reportsOf(session: Session): readonly Report[] {
  const all = askedOf(session);
  return session.showings.map((showing) => {
    const about = all.filter(({ shown }) => shown === showing);
    const clicked = about.filter(({ command }) => command.kind === "click");
    return { showing, clicks: clicked, showings: about.filter((one) => !clicked.includes(one)) };
  });
}

function isDone({ outcome }: Asked): boolean {
  return outcome.kind === "done";
}

const showingCountsOnce: Rule = {
  id: "showing-counts-once",
  says: "A showing is on record once, with its surface and its ad",
  source: "spec §4",
  needs: [],
  commands: () =>
    sequencesOf(impressions, impressions, together(impressions), shortPauses, flushes),
  judge(session) {
    const records = recordsOf(session);
    const healthy = isHealthy(session);
    let applied = 0;
    for (const { showing, showings } of reportsOf(session)) {
      const { ad, surface } = showing;
      const [said = { kind: "stuck" as const }] = showings.map(({ outcome }) => outcome);
      const done = showings.some(isDone);
      must(
        done || !healthy,
        () => `Nothing came in the way of ${ad}, and the client ${saidOf(said)}.`,
      );
      if (!done) continue;
      const recorded = records.of(showing);
      const once = showings.length === 1 && recorded.length > 1;
      // Lost answers make a client report it again, and under dedup.repeat=count each of them counts.
      const mayCount = !healthy && session.assumptions["dedup.repeat"] === "count";
      must(
        recorded.length > 0 && (!once || mayCount),
        () =>
          `The client ${saidOf(said)} with ${ad}. It is on record ${times(recorded)}, expected once.`,
      );
      for (const one of recorded) {
        must(
          one.surface === surface,
          () => `${ad} was shown on ${surface}. It is on record on ${one.surface}.`,
        );
      }
      applied += 1;
    }
    return applied;
  },
};

function times({ length }: readonly unknown[]): string {
  return length === 1 ? "once" : `${length} times`;
}

const saidAgainCountsOnce: Rule = {
  id: "said-again-counts-once",
  says: "The same showing reported twice counts once",
  source: "spec §1, §4",
  needs: [],
  commands: () =>
    sequencesAfter(
      impressions,
      repeats,
      repeats,
      impressions,
      together(impressions, repeats),
      shortPauses,
      flushes,
    ),
  judge(session) {
    const records = recordsOf(session);
    const { assumptions } = session;
    let applied = 0;
    for (const { showing, showings } of reportsOf(session)) {
      const recorded = records.of(showing);
      if (showings.length < 2 || recorded.length === 0) continue;
      const countsRepeats = assumptions["dedup.repeat"] === "count";
      const extra = countsRepeats
        ? recorded.slice(showings.length)
        : tooEarly(recorded, assumptions);
      must(
        // What a disturbed client sends is for the rules about repeating.
        extra.length === 0 || (countsRepeats && !isHealthy(session)),
        () =>
          `${showing.ad} was reported ${times(showings)}. It is on record ${times(recorded)}, expected ` +
          (countsRepeats ? "no more often than it was reported." : "once: it was one showing."),
      );
      applied += 1;
    }
    return applied;
  },
};

/** Those that are on record within dedup.window of the one before: the client sent them as if they were others. */
function tooEarly(
  recorded: readonly RecordedEvent[],
  assumptions: Assumptions,
): readonly RecordedEvent[] {
  const windowMs = dedupWindowOf(assumptions);
  return recorded.filter(({ exchange }, at) => {
    const before = recorded[at - 1];
    return before !== undefined && exchange.atMs - before.exchange.atMs < windowMs;
  });
}

const answerAsGiven: Rule = {
  id: "answer-as-given",
  says: "What a client gives for an impression or a click has the service's own id and credit",
  source: "spec §2",
  needs: [],
  commands: () =>
    sequencesAfter(impressions, impressions, clicks, repeats, together(impressions), shortPauses),
  judge: (session) => mustGive(session),
};

/** @returns how many receipts had something to be held against the service's answers. */
function mustGive(session: Session): number {
  let compared = 0;
  for (const { command, outcome, shown, exchanges } of askedOf(session)) {
    if (outcome.kind !== "done" || shown === undefined) continue;
    const operation = command.kind === "click" ? "click" : "impression";
    const given = receiptOf(outcome.value, operation);
    if (given.id === undefined && given.credit === undefined) continue;
    const answers = answersAbout(session, shown, operation);
    // A client that knows of itself that it is a repeat may say that nothing more was credited.
    const isOwn = command.kind !== "impression" && exchanges.length === 0;
    const isSame = answers.some(
      ({ id, credit }) =>
        (given.id === undefined || given.id === id) &&
        (given.credit === undefined ||
          isAmount(given.credit, credit) ||
          (isOwn && given.credit === 0)),
    );
    must(
      isSame,
      () =>
        `The client gave ${JSON.stringify(given)} for the ${operation} of ${shown.ad}. ` +
        `The service answered ${answers.map((one) => JSON.stringify(one)).join(", ") || "nothing"}.`,
    );
    compared += 1;
  }
  return compared;
}

interface Receipt {
  readonly id: unknown;
  readonly credit: unknown;
}

/** A member that is null is one that the client doesn't know, or not yet. */
function receiptOf(value: unknown, operation: "impression" | "click"): Receipt {
  const id = memberOf(value, `${operation}_id`) ?? undefined;
  return { id, credit: memberOf(value, "revenue_credited_inr") ?? undefined };
}

function isAmount(given: unknown, answered: unknown): boolean {
  if (typeof given !== "number" || typeof answered !== "number") return false;
  return nearestMicros(given) === nearestMicros(answered);
}

/** All that the service answered to impressions of this showing, or to clicks on them. */
function answersAbout(
  { exchanges }: Session,
  { ad }: Showing,
  operation: "impression" | "click",
): readonly Receipt[] {
  const answered = (of: string): typeof exchanges =>
    exchanges.filter((one) => one.operation === of && one.got.status === 200);
  const shown = answered("impression").filter(({ values }) => values.get("ad_id") === ad);
  const receipts = shown.map(({ got }) => receiptOf(jsonOf(got), "impression"));
  if (operation === "impression") return receipts;
  return answered("click")
    .filter(({ values }) => receipts.some(({ id }) => id === values.get("impression_id")))
    .map(({ got }) => receiptOf(jsonOf(got), "click"));
}

const opaqueIds: Rule = {
  id: "opaque-ids",
  says: "Ids come back as the service gave them, byte for byte, whatever they look like",
  source: "spec §2",
  needs: ["click"],
  assuming: (["prefixed", "digits", "url-unsafe", "uuid", "long"] as const).map((format) => ({
    "ids.format": format,
  })),
  commands: () =>
    sequencesAfter(impressions, clicks, clicks, impressions, statistics, surfaceLists),
  judge(session) {
    const { publisher, exchanges } = session;
    const given: Record<string, string[]> = {
      publisher_id: [publisher.id],
      surface: publisher.surfaces.map(({ id }) => id),
      impression_id: [],
    };
    let hits = 0;
    for (const { operation, request, values, got } of exchanges) {
      // 415: the service didn't read it.
      if (operation === undefined || got.status === 415) continue;
      for (const [name, known] of Object.entries(given)) {
        const sent = values.get(name);
        must(
          sent === undefined || known.includes(sent),
          () =>
            `${request.method} ${request.path} was sent with ${name} ${JSON.stringify(sent)}. ` +
            `The service gave ${known.map((one) => JSON.stringify(one)).join(", ") || "none"}.`,
        );
      }
      if (got.status !== 200) continue;
      if (operation === "click") hits += 1;
      const id = memberOf(jsonOf(got), "impression_id");
      if (typeof id === "string") given.impression_id?.push(id);
    }
    mustUnderstand(session);
    return hits;
  },
};

const clickCounts: Rule = {
  id: "click-counts",
  says: "A click is on record once, on the impression of its showing",
  source: "spec §4",
  needs: ["click"],
  commands: () =>
    sequencesAfter(
      impressions,
      clicks,
      clicks,
      impressions,
      together(impressions, clicks),
      shortPauses,
      flushes,
    ),
  judge: (session) => mustCountClicks(session, ({ length }) => length === 1),
};

const secondClickCountsOnce: Rule = {
  id: "second-click-counts-once",
  says: "Two clicks on one showing count once, or twice where the service counts every click",
  source: "spec §4",
  needs: ["click"],
  assuming: (["original-uncredited", "replay", "conflict", "count"] as const).map((choice) => ({
    "click.repeat": choice,
  })),
  commands: () =>
    sequencesAfter(impressions, clicks, clicks, clicks, together(clicks), shortPauses, flushes),
  judge: (session) => mustCountClicks(session, ({ length }) => length > 1),
};

/** Of showings with as many clicks. */
function mustCountClicks(
  session: Session,
  concerns: (clicks: readonly Asked[]) => boolean,
): number {
  const records = recordsOf(session);
  const healthy = isHealthy(session);
  const countsEach = session.assumptions["click.repeat"] === "count";
  let applied = 0;
  for (const { showing, clicks: asked } of reportsOf(session)) {
    const [first] = asked;
    if (first === undefined || !concerns(asked)) continue;
    // Under click.window a click may come too late.
    const isLate = session.exchanges.some(({ got }) => got.status === 410);
    // Of several, all but one may be refused: by the service under click.repeat=conflict, or by the client itself.
    const done = asked.some(isDone);
    must(
      done || !healthy || isLate,
      () =>
        `Nothing came in the way of a click on ${showing.ad}, and the client ${saidOf(first.outcome)}.`,
    );
    if (!done) continue;
    const recorded = records.of(showing).flatMap((one) => one.clicks);
    // Each impression of a showing that is on record more than once can be clicked.
    const most = countsEach ? asked.length : Math.min(asked.length, records.of(showing).length);
    const isTooMuch = recorded.length > most && healthy;
    must(
      recorded.length > 0 && !isTooMuch,
      () =>
        `The client was asked for ${asked.length === 1 ? "a click" : `${asked.length} clicks`} on ${showing.ad}, and ` +
        `${saidOf({ kind: "done", value: undefined })}. On record: ${clicksIn(recorded)}, ` +
        `expected ${most > 1 ? `1 to ${most}` : "1"}.`,
    );
    applied += 1;
  }
  return applied;
}

function clicksIn({ length }: readonly unknown[]): string {
  return length === 0 ? "no click on its impression" : `${length} clicks`;
}

const unlistedMembers: Rule = {
  id: "unlisted-members",
  says: "A client reads answers that have members the spec doesn't list, in any order",
  source: "spec §2",
  needs: [],
  assuming: [
    { "response.extra-fields": "present", "response.key-order": "documented" },
    { "response.extra-fields": "none", "response.key-order": "shuffled" },
    { "response.extra-fields": "present", "response.key-order": "shuffled" },
  ],
  commands: everydaySequences,
  judge: mustRead,
};

const contentTypeCharset: Rule = {
  id: "content-type-charset",
  says: "A client reads JSON whose Content-Type names its charset",
  source: "spec §4",
  needs: [],
  assuming: [{ "http.content-type": "json-charset" }],
  commands: everydaySequences,
  judge: mustRead,
};

/** All that was answered is understood, and passed on as it was. */
function mustRead(session: Session): number {
  const understood = mustUnderstand(session);
  mustGive(session);
  for (const operation of ["stats", "surfaces", "payouts"] as const) mustPassOn(session, operation);
  return understood;
}

export const answerRules: readonly Rule[] = [
  showingCountsOnce,
  saidAgainCountsOnce,
  answerAsGiven,
  opaqueIds,
  clickCounts,
  secondClickCountsOnce,
  unlistedMembers,
  contentTypeCharset,
];
