/** Takes out of fault rules, of what rules that are functions decided, and of names whatever may be secret. */

import { jsonIn } from "../base/parse-json.ts";
import { lenientText, percentDecoded } from "../base/text.ts";
import type { FaultRule } from "../faults/rule.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { SignUpRequest } from "../world/accounts/publisher-directory.ts";
import type { TracedState } from "./trace-form.ts";
import type { TracedRequest } from "./trace-request.ts";
import type { Hider } from "./trace-secrets.ts";

type Change = (text: string) => string;

/** Headers of answers that say nothing secret. Of all others only the names stay. */
const plainHeaders =
  /^(?:access-control-[a-z-]+|age|allow|cache-control|content-(?:disposition|encoding|language|type)|date|etag|expires|last-modified|location|retry-after|server|vary|via|www-authenticate|x-(?:ratelimit-(?:limit|remaining|reset)|request-id))$/i;

/** Members of bodies whose text is secret whatever it looks like. */
const secretMembers =
  /pass(?:word|wd|phrase)?$|pwd$|secret|token$|credential|authorization|cookie|(?:api|access|private)[-_]?key|^pin$/i;

/** The rule without secrets. Its id stays, because other rules and requests name it. */
export function hiddenRule<Rule extends FaultRule>(rule: Rule, hider: Hider): Rule {
  // Changes texts only, so the types stay.
  const match = withTexts(rule.match, hider.foreign) as Rule["match"];
  return {
    ...rule,
    ...(match !== undefined && { match }),
    verdict: hiddenVerdict(rule.verdict, hider, hider.foreign),
  };
}

function hiddenVerdict(verdict: Verdict, hider: Hider, change: Change): Verdict {
  if (verdict.kind !== "respond") return verdict;
  const { headers, body } = verdict;
  return {
    ...verdict,
    ...(headers !== undefined && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          // The name must stay one, and another than all others.
          change(name) === name ? name : hider.standIn(name),
          plainHeaders.test(name) ? change(value) : hider.blank(value),
        ]),
      ),
    }),
    ...(body !== undefined && { body: hiddenBody(body, hider, change) }),
  };
}

function hiddenBody(body: unknown, hider: Hider, change: Change): unknown {
  const inMember = (text: string, member: string): string =>
    secretMembers.test(member) ? hider.blank(text) : change(text);
  if (typeof body !== "string") return withTexts(body, inMember);
  const value = jsonIn(body);
  if (typeof value !== "object") return change(body);
  const hidden = withTexts(value, inMember);
  // The spelling stays unless there is something to hide.
  return JSON.stringify(hidden) === JSON.stringify(value) ? body : JSON.stringify(hidden);
}

/** The value with each text in it changed, and each name of a member. `member`: the name of the one that holds the text. */
function withTexts(
  value: unknown,
  change: (text: string, member: string) => string,
  member = "",
): unknown {
  if (typeof value === "string") return change(value, member);
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change, member));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [change(name, ""), withTexts(one, change, name)]),
  );
}

/** Shorter pieces of a request are in many texts. */
const MIN_PIECE = 4;
/** With more pieces that were hidden, all text of an answer is hidden. */
const MAX_PIECES = 200;

/**
 * What a function decided on a request. It may have repeated the request in its answer, so whatever was taken out of the
 * request is taken out here, too.
 */
export function hiddenDecision(
  verdict: Verdict,
  record: JournalRecord,
  { head, query, body }: TracedRequest,
  hider: Hider,
): Verdict {
  if (verdict.kind !== "respond") return verdict;
  const kept = new Set(piecesOf(JSON.stringify([head, query, body])));
  const sent = [record.method, record.path, record.query, lenientText(record.body)];
  const fields = Object.entries(record.headers).flat();
  const decoded = percentDecoded(record.query.replaceAll("+", " ")) ?? "";
  const all = new Set([...sent, ...fields, decoded].flatMap(piecesOf));
  const hidden = [...all].filter((piece) => !kept.has(piece));
  // Longer ones first: a piece may be part of another.
  hidden.sort((left, right) => right.length - left.length);
  return hiddenVerdict(verdict, hider, (text) => {
    if (hidden.length > MAX_PIECES) return hider.blank(text);
    let rest = text;
    for (const piece of hidden) rest = rest.replaceAll(piece, hider.standIn(piece));
    return hider.foreign(rest);
  });
}

function piecesOf(text: string): string[] {
  return text.split(/[\s"'`&=,;:<>{}[\]()\\]+/).filter((piece) => piece.length >= MIN_PIECE);
}

export function hiddenSignUp({ name, surfaces }: SignUpRequest, hider: Hider): SignUpRequest {
  return {
    ...(name !== undefined && { name: hider.foreign(name) }),
    ...(surfaces !== undefined && {
      surfaces: surfaces.map((one) =>
        typeof one === "string" ? hider.foreign(one) : { ...one, name: hider.foreign(one.name) },
      ),
    }),
  };
}

/** The rules and the names in a state. */
export function hiddenState(state: TracedState, hider: Hider): TracedState {
  const { faults, accounts } = state;
  return {
    ...state,
    faults: {
      ...faults,
      rules: faults.rules.map((one) => ({ ...one, rule: hiddenRule(one.rule, hider) })),
    },
    // The order of members stays: a snapshot's digest depends on it.
    accounts: accounts.map((account) => ({
      ...account,
      ...(account.person !== undefined && {
        person: { ...account.person, name: hider.foreign(account.person.name) },
      }),
      surfaces: account.surfaces.map((one) => ({ ...one, name: hider.foreign(one.name) })),
    })),
  };
}

/** What {@link hiddenState} looks through. */
export function textsIn({ faults, accounts }: TracedState): unknown {
  return [faults, accounts.map(({ person, surfaces }) => [person, surfaces])];
}
