/** What a client must survive: names, ads and sessions in every script, right to left, with emoji, up to 10,000 characters. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { error, newBeside, rule, sameAs } from "./words.ts";

const publisher = "station";
const LONG = "नमस्ते🙏".repeat(1250);
const names: readonly string[] = [
  [
    "Sidebar",
    "Боковая панель",
    "Πλαϊνή μπάρα",
    "إعلان الشريط الجانبي",
    "שורת המצב",
    "साइडबार विज्ञापन",
  ],
  ["பக்கப்பட்டி", "แถบด้านข้าง", "サイドバー 広告枠", "侧边栏广告", "사이드바", "ꦱꦶꦝ"],
  ["𝕊𝕚𝕕𝕖 𒀭 𓂀", "👩‍👩‍👧‍👦🏳️‍🌈🇮🇳", "Zalgo t̴̢͝e̷̺̕x̶̰͝t", "\u202Eright to left\u202C"],
  ["caf\u00e9", "cafe\u0301", "\uFEFFinvisible\u200B\u00AD", '"quoted" \\ and \u0001\u001F\u007F'],
  ["<script>alert(1)</script>", "line\nbreak\tand\u2028separator", LONG],
].flat();

/** Records one session id in each encoding. It is the same session, so only the first impression counts. */
function inEveryEncoding(session: string, index: number): Step[] {
  const first = `session-${index}`;
  const impression = { session_id: session, ad_id: `ad ${session}` };
  return [
    { publisher, impression, as: first, expect: { body: { revenue_credited_inr: 0.05 } } },
    { publisher, impression, encoding: "form", expect: sameAs(first) },
    { publisher, impression, encoding: "query", expect: sameAs(first) },
  ];
}

/** Control characters are refused in a session id, but allowed in a surface's name. */
const sessions = names.slice(0, -1).filter((name) => !/\p{Cc}/u.test(name));

/** The list of surfaces, to compute its length in bytes. Each id has 17 characters. */
const LISTED = JSON.stringify({
  surfaces: names.map((name) => ({
    id: "srf_0000000000000",
    name,
    status: "active",
    cpm_range: [50, 50],
  })),
});
const BYTES = String(new TextEncoder().encode(LISTED).length);
/** One byte into the second name, whose letters have two bytes each. Everything before it is ASCII. */
const IN_A_LETTER = LISTED.indexOf("Боковая") + 1;
const exactNames = { surfaces: names.map((name) => ({ name: { equals: name } })) };

export const scenario = defineScenario({
  name: "unicode-names",
  about:
    "Surfaces have names in many scripts, with emoji, control characters and right-to-left marks; one name is 10,000 characters long. Sessions and ads have such names too. All of them come back unchanged, whole or byte by byte, and no two are confused.",
  faults: [
    rule("cut-a-letter", "surfaces", 1, { kind: "truncate", atByte: IN_A_LETTER }),
    rule("crawl", "surfaces", 2, { kind: "drip", bytesPerSecond: 1_000_000 }),
  ],
  steps: [
    {
      signUp: {
        name: "नमस्ते 🙏 Ltd",
        surfaces: names.map((name) => ({ name, cpmRange: [50, 50] as const })),
      },
      as: publisher,
    },
    {
      publisher,
      surfaces: {},
      note: "Cut in the middle of a letter. Content-Length counts bytes.",
      expect: {
        outcome: "cut",
        headers: { "content-length": BYTES },
        text: { length: IN_A_LETTER },
      },
    },
    {
      publisher,
      surfaces: {},
      note: "In pieces, and whole all the same.",
      expect: { status: 200, headers: { "content-length": BYTES }, body: exactNames },
    },
    ...sessions.flatMap(inEveryEncoding),
    { publisher, impression: { session_id: LONG }, as: "long", expect: { status: 200 } },
    {
      publisher,
      impression: { session_id: LONG },
      encoding: "form",
      note: "10,000 characters, as a form, are 78,750 bytes long: too large for a body.",
      expect: error(413, "body_too_large"),
    },
    {
      publisher,
      impression: { session_id: `${LONG}!` },
      note: "The last character counts too.",
      expect: newBeside("long"),
    },
    {
      publisher,
      impression: { session_id: "line\nbreak" },
      note: "Controls are refused in an id.",
      expect: error(400, "invalid_parameter", "session_id"),
    },
    {
      publisher,
      click: { impression_id: "👩‍👩‍👧‍👦".repeat(20) },
      expect: error(404, "impression_not_found"),
    },
  ],
  expectations: [{ publisher, stats: {}, is: { impressions: sessions.length + 2 } }],
});
