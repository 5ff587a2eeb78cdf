/** No key and no UPI id leaves the journal unless asked for, wherever it stands and however it is spelt. */

import { describe, expect, test } from "vitest";
import { createSimulator, type JournalFilter, type Simulator } from "../../src/index.ts";
import { bearer } from "./asking.ts";

/** All exports of a journal in one text. */
function everything({ journal }: Pick<Simulator, "journal">, filter?: JournalFilter): string {
  const entries = JSON.stringify(journal.entries(filter));
  return entries + journal.toNdjson(filter) + journal.toHar(filter);
}

/** A publisher that has a payout. */
function paid(sim: Simulator): { readonly index: number; readonly upiId: string } {
  const index = Array.from({ length: 25 }, (_, place) => place).find((place) =>
    askPayouts(sim, place).includes("upi_id"),
  );
  if (index === undefined) throw new Error("Nobody was paid.");
  sim.journal.clear();
  return { index, upiId: sim.publishers.at(index).upiId };
}

function askPayouts(sim: Simulator, index: number): string {
  const query = { publisher_id: sim.publishers.at(index).id };
  const path = "/v1/publisher/payouts";
  return sim.handle({ method: "GET", path, query, headers: bearer(sim, index) }).body;
}

test("a payout's UPI id is hidden, and the rest of the body isn't", () => {
  const sim = createSimulator();
  const { index, upiId } = paid(sim);
  const body = askPayouts(sim, index);
  const [entry] = sim.journal.entries();
  expect(body).toContain(upiId);
  expect(entry?.response.body).toBe(body.replaceAll(upiId, "(redacted)"));
  expect(everything(sim)).not.toContain(upiId.slice(0, upiId.indexOf("@")));
});

test("a UPI id is hidden in a lost answer, and in one that is cut inside it", () => {
  const sim = createSimulator();
  const { index, upiId } = paid(sim);
  const name = upiId.slice(0, upiId.indexOf("@"));
  const at = askPayouts(sim, index).indexOf(upiId);
  sim.faults.add({ match: { nth: 1 }, verdict: { kind: "lose-response" } });
  for (let cut = 1; cut <= upiId.length; cut += 1) {
    sim.faults.add({ match: { nth: cut + 1 }, verdict: { kind: "truncate", atByte: at + cut } });
  }
  for (let count = 0; count <= upiId.length; count += 1) askPayouts(sim, index);
  const kept = everything(sim);
  const faults = sim.journal.entries().flatMap(({ fault }) => (fault ? [fault] : []));
  expect(faults.map(({ lost }) => lost?.body.includes('"upi_id":"(redacted)"'))).toEqual(
    Array(upiId.length + 1).fill(true),
  );
  expect(kept).not.toContain(name);
  expect(kept).not.toContain(`"${name.slice(0, 4)}`);
});

describe("a UPI id in a request", () => {
  const sim = createSimulator();
  const { upiId } = sim.publishers.at(0);
  const name = upiId.slice(0, upiId.indexOf("@"));
  const percent = (text: string): string =>
    text.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  const spellings = {
    "as it is": upiId,
    "its at sign percent-encoded": upiId.replace("@", "%40"),
    "its at sign percent-encoded twice": upiId.replace("@", "%2540"),
    "its at sign escaped in JSON": upiId.replace("@", "\\u0040"),
    "its dot percent-encoded": upiId.replace(".", "%2E"),
    "all of it percent-encoded": percent(upiId),
    "all of it escaped in JSON": upiId.replaceAll(
      /./g,
      (one) => `\\u00${one.charCodeAt(0).toString(16)}`,
    ),
    "all of it escaped in JSON, the backslashes percent-encoded": upiId.replaceAll(
      /./g,
      (one) => `%5Cu00${one.charCodeAt(0).toString(16)}`,
    ),
    "all of it percent-encoded, the percent signs escaped in JSON": upiId.replaceAll(
      /./g,
      (one) => `\\u0025${one.charCodeAt(0).toString(16)}`,
    ),
    "in upper case": upiId.toUpperCase(),
  };

  test.each(Object.entries(spellings))("is hidden: %s", (_, spelling) => {
    sim.journal.clear();
    const places = [
      { query: `to=${spelling}&a=%41` },
      { query: `to=%22${spelling}%22` },
      { path: `/v1/${spelling}` },
      { body: `{"impression_id":"${spelling}"}` },
      { body: new TextEncoder().encode(`{"x":"${spelling}","y":"${spelling}"}`) },
      { headers: { "x-payee": spelling } },
      { headers: { [spelling]: "" } },
      { method: spelling },
    ];
    for (const place of places) sim.handle({ method: "POST", path: "/v1/click", ...place });
    const bytes = new TextEncoder().encode(`?${spelling}?`);
    bytes[0] = 0xff;
    sim.handle({ method: "POST", path: "/v1/click", body: bytes });
    const kept = everything(sim);
    const encoded = sim.journal.entries().at(-1)?.request.bodyBase64 ?? "";
    expect(atob(encoded)).toBe("\xff(redacted)?");
    for (const part of [name, percent(name), percent(name.slice(-6)), name.toUpperCase()]) {
      expect(kept).not.toContain(part);
    }
    expect(kept).toContain("to=(redacted)&a=%41");
    expect(kept).toContain("to=%22(redacted)%22");
  });
});

test("text that only resembles one stays", () => {
  const sim = createSimulator();
  const body = "someone@example.com @inval id@in valid, a@INVALI";
  sim.handle({ method: "POST", path: "/v1/click", body });
  expect(sim.journal.entries()[0]?.request.body).toBe(body);
});

test("a cut key is hidden, also in the entry's explanation of a miss", () => {
  const sim = createSimulator();
  const { apiKey, id } = sim.publishers.at(0);
  const cut = apiKey.slice(0, -1);
  const requests = [
    { query: `key=${cut}` },
    { headers: { authorization: `Bearer ${cut}` } },
    { headers: { authorization: cut } },
    { headers: { "x-api-key": cut } },
    { query: { publisher_id: cut }, headers: bearer(sim, 0) },
    { query: { publisher_id: id, surface: cut }, headers: bearer(sim, 0) },
    { path: `/v1/${cut}` },
    {
      method: "POST",
      path: "/v1/impression",
      headers: bearer(sim, 0),
      body: { publisher_id: id, surface: "nowhere", ad_id: cut },
    },
  ];
  for (const request of requests)
    sim.handle({ method: "GET", path: "/v1/publisher/stats", ...request });
  const misses = sim.journal.entries().flatMap(({ nearest }) => (nearest ? [nearest] : []));
  expect(misses).toHaveLength(requests.length);
  expect(everything(sim)).not.toContain(cut.slice(4));
});

test("the work doesn't grow with the square of the request's size", () => {
  const sim = createSimulator();
  const long = ["a", "%61", "a@", "@invalid", "a@invalid", "key_", '"upi_id":"', "%25", "\\u00"];
  for (const piece of long) {
    sim.handle({ method: "POST", path: "/v1/click", body: piece.repeat(200_000) });
    expect(everything(sim, { limit: 1 })).not.toContain("a@invalid");
  }
});

test("everything is unchanged if secrets are asked for", () => {
  const sim = createSimulator();
  const { index, upiId } = paid(sim);
  const { apiKey } = sim.publishers.at(index);
  sim.faults.add({ match: { nth: 2 }, verdict: { kind: "lose-response" } });
  const body = askPayouts(sim, index);
  askPayouts(sim, index);
  const query = `key=${apiKey}&to=${encodeURIComponent(upiId)}`;
  sim.handle({ method: "GET", path: `/v1/${upiId}`, query });
  const [whole, lost, sent] = sim.journal.entries({ secrets: "shown" });
  expect(whole?.request.headers.authorization).toBe(`Bearer ${apiKey}`);
  expect(whole?.response.body).toBe(body);
  expect(lost?.fault?.lost?.body).toBe(body);
  expect(sent?.request).toMatchObject({ path: `/v1/${upiId}`, query });
  expect(sent?.nearest?.paste).not.toContain("$ADSIM_API_KEY");
  expect(everything(sim, { secrets: "shown" })).not.toContain("(redacted)");
  expect(everything(sim, { secrets: "redacted" })).not.toContain(apiKey);
});
