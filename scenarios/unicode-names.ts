/** What a client must survive: names, ads and sessions in every script, right to left, with emoji, up to 10,000 characters. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

const names: readonly string[] = [
  "Sidebar",
  "Боковая панель",
  "Πλαϊνή μπάρα",
  "إعلان الشريط الجانبي",
  "שורת המצב",
  "साइडबार विज्ञापन",
  "பக்கப்பட்டி",
  "แถบด้านข้าง",
  "サイドバー 広告枠",
  "侧边栏广告",
  "사이드바",
  "ꦱꦶꦝ",
  "𝕊𝕚𝕕𝕖 𒀭 𓂀",
  "👩‍👩‍👧‍👦🏳️‍🌈🇮🇳",
  "Zalgo t̴̢͝e̷̺̕x̶̰͝t",
  "\u202Eright to left\u202C",
  "caf\u00e9",
  "cafe\u0301",
  "\uFEFFinvisible\u200B\u00AD",
  '"quoted" \\ and \u0001\u001F\u007F',
  "<script>alert(1)</script>",
  "line\nbreak\tand\u2028separator",
  "नमस्ते🙏".repeat(1250),
];

const MAIN = { ref: "station.surfaces.0.id" } as const;

/** Records one session id in each encoding. It is the same session, so only the first impression counts. */
function inEveryEncoding(session: string, index: number): Step[] {
  const first = `session-${index}`;
  const repeated = {
    status: 200,
    body: { impression_id: { ref: `${first}.impression_id` }, revenue_credited_inr: 0 },
  } as const;
  const impression = { surface: MAIN, session_id: session, ad_id: `ad ${session}` };
  return [
    {
      publisher: "station",
      impression,
      as: first,
      expect: { status: 200, body: { ok: true, revenue_credited_inr: 0.05 } },
    },
    { publisher: "station", impression, encoding: "form", expect: repeated },
    { publisher: "station", impression, encoding: "query", expect: repeated },
  ];
}

/** Control characters are refused in a session id, but allowed in a surface's name. */
const hasControls = (name: string): boolean => /\p{Cc}/u.test(name);
const sessions: readonly string[] = names.slice(0, -1).filter((name) => !hasControls(name));
const LONG = names.at(-1) ?? "";

/** The list of surfaces, to compute its length in bytes. Each id has 17 characters. */
const LISTED = JSON.stringify({
  surfaces: names.map((name) => ({
    id: "srf_0000000000000",
    name,
    status: "active",
    cpm_range: [50, 50],
  })),
});
const BYTES = new TextEncoder().encode(LISTED).length;
/** One byte into the second name, whose letters have two bytes each. Everything before it is ASCII. */
const IN_A_LETTER = LISTED.indexOf("Боковая") + 1;

export const scenario: Scenario = defineScenario({
  name: "unicode-names",
  about:
    "Surfaces have names in many scripts, with emoji, control characters and right-to-left marks; one name is 10,000 characters long. Sessions and ads have such names too. All of them come back unchanged, and no two are confused.",
  steps: [
    {
      signUp: {
        name: "नमस्ते 🙏 Ltd",
        surfaces: names.map((name) => ({ name, cpmRange: [50, 50] as const })),
      },
      as: "station",
    },
    {
      publisher: "station",
      surfaces: {},
      note: "The name is exact, and Content-Length counts bytes.",
      expect: {
        status: 200,
        headers: { "content-length": String(BYTES) },
        body: { surfaces: names.map((name) => ({ name: { equals: name }, status: "active" })) },
      },
    },
    { expect: { of: "station.surfaces.22.name", is: { length: 10_000 } } },
    {
      fault: {
        id: "cut-a-letter",
        match: { operation: "surfaces", nth: 1 },
        verdict: { kind: "truncate", atByte: IN_A_LETTER },
      },
    },
    {
      publisher: "station",
      surfaces: {},
      note: "Cut in the middle of a letter.",
      expect: {
        outcome: "cut",
        status: 200,
        headers: { "content-length": String(BYTES) },
        text: { length: IN_A_LETTER },
      },
    },
    { heal: "all" },
    {
      fault: {
        id: "crawl",
        match: { operation: "surfaces", nth: 1 },
        verdict: { kind: "drip", bytesPerSecond: 1_000_000 },
      },
    },
    {
      publisher: "station",
      surfaces: {},
      note: "In pieces, and whole all the same.",
      expect: {
        status: 200,
        body: { surfaces: names.map((name) => ({ name: { equals: name } })) },
      },
    },
    { heal: "all" },
    ...sessions.flatMap(inEveryEncoding),
    {
      publisher: "station",
      impression: { session_id: LONG },
      as: "long",
      note: "A session id of 10,000 characters …",
      expect: { status: 200, body: { revenue_credited_inr: 0.05 } },
    },
    {
      publisher: "station",
      impression: { session_id: LONG },
      encoding: "form",
      note: "… which as a form is 78,750 bytes long: too large for a body.",
      expect: { status: 413, body: { code: "body_too_large" } },
    },
    {
      publisher: "station",
      impression: { session_id: `${LONG}!` },
      note: "Its last character counts too.",
      expect: {
        status: 200,
        body: {
          impression_id: { not: { ref: "long.impression_id" } },
          revenue_credited_inr: 0.05,
        },
      },
    },
    {
      publisher: "station",
      impression: { session_id: "line\nbreak" },
      note: "Controls are refused in an id.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "session_id" } },
    },
    {
      publisher: "station",
      click: { impression_id: "👩‍👩‍👧‍👦".repeat(20) },
      expect: { status: 404, body: { code: "impression_not_found" } },
    },
    {
      publisher: "station",
      stats: { surface: "שורת המצב" },
      note: "A name is not an id.",
      expect: { status: 404, body: { code: "surface_not_found" } },
    },
  ],
  expectations: [
    {
      publisher: "station",
      stats: {},
      is: {
        impressions: sessions.length + 2,
        clicks: 0,
        revenue_inr: ((sessions.length + 2) * 5) / 100,
      },
    },
    {
      audit: {
        balanced: true,
        total: {
          clicks: { refused: 1 },
          impressions: {
            applied: sessions.length + 2,
            duplicatesSuppressed: 2 * sessions.length,
            refused: 2,
          },
        },
      },
    },
  ],
});
