/** Ids and amounts in another form: the service does the same, and the books stay exact. */

import { describe, expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import type { Choice } from "../../src/spec/assumptions/catalogue.ts";
import { createTestClient } from "./test-client.ts";

const looks: Readonly<Record<Choice<"ids.format">, RegExp>> = {
  prefixed: /^[a-z]{3}_[0-9a-z]{13}$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  digits: /^\d{20}$/,
  "url-unsafe": /^(?=.*\+)(?=.*\/)[A-Za-z0-9+/]+=$/,
};

describe.each(Object.keys(looks) as Choice<"ids.format">[])("ids of the form %s", (format) => {
  const { sim, publisher, get, post, shown } = createTestClient({ "ids.format": format });
  const recorded = JSON.parse(post("/v1/impression", shown).body) as { impression_id: string };

  test("are used in every request and answer; keys stay as they are", () => {
    const clicked = JSON.parse(post("/v1/click", { impression_id: recorded.impression_id }).body);
    const stats = JSON.parse(get("/v1/publisher/stats").body);
    const { surfaces } = JSON.parse(get("/v1/publisher/surfaces").body);
    const { payouts } = JSON.parse(get("/v1/publisher/payouts").body);
    const ids = [recorded.impression_id, clicked.click_id, stats.publisher_id, payouts[0].id];
    for (const id of [...ids, surfaces[0].id, stats.surfaces[0].id, payouts[0].txn_id]) {
      expect(id).toMatch(looks[format]);
    }
    expect(stats.publisher_id).toBe(publisher.id);
    expect(publisher.apiKey).toMatch(/^key_[0-9a-z]{13}$/);
    const only = { publisher_id: publisher.id, surface: surfaces[0].id };
    expect(JSON.parse(get("/v1/publisher/stats", only).body).surfaces).toHaveLength(1);
  });

  test("of the wrong kind, of another publisher or unknown are refused", () => {
    const other = sim.publishers.at(1);
    const click = (id: string): number => post("/v1/click", { impression_id: id }).status;
    const id = recorded.impression_id;
    const headers = { authorization: `Bearer ${other.apiKey}` };
    const body = { impression_id: id };
    expect(sim.handle({ method: "POST", path: "/v1/click", headers, body }).status).toBe(404);
    for (const wrong of [publisher.id, shown.surface, id.slice(0, -1), `${id}0`, id.slice(1)]) {
      expect(click(wrong)).toBe(404);
    }
    expect(get("/v1/publisher/stats", { publisher_id: id }).status).toBe(404);
    expect(click(id)).toBe(200);
  });

  test("survive a snapshot", () => {
    const copy = createSimulator();
    copy.restore(sim.snapshot());
    expect(copy.publishers.at(3)).toEqual(sim.publishers.at(3));
  });
});

test("an id of digits is not found after it went through a number", () => {
  const { post, shown } = createTestClient({ "ids.format": "digits" });
  const { body } = post("/v1/impression", shown);
  const asNumber = JSON.parse(body.replace(/"(\d{20})"/, "$1")) as { impression_id: number };
  expect(post("/v1/click", { impression_id: String(asNumber.impression_id) }).status).toBe(404);
  expect(post("/v1/click", { impression_id: asNumber.impression_id }).status).toBe(400);
});

test("an id is not found unless it is escaped for the URL", () => {
  const { publisher, get } = createTestClient({ "ids.format": "url-unsafe" });
  const path = "/v1/publisher/stats";
  expect(get(path, `publisher_id=${publisher.id}`).status).toBe(404);
  expect(get(path, `publisher_id=${encodeURIComponent(publisher.id)}`).status).toBe(200);
});

describe("amounts in whole paise", () => {
  const amounts = /"(?:revenue|revenue_inr|revenue_credited_inr|amount_inr|pending_inr)":([\d.]+)/g;
  const amountsIn = (body: string): string[] =>
    [...body.matchAll(amounts)].map(([, one = ""]) => one);
  const rounded = (inr: string): number => {
    const micros = Math.round(Number(inr) * 1e6);
    return Math.floor((micros + 5000) / 10_000) / 100;
  };

  test("are the exact amounts of the books, each rounded half up only in its response", () => {
    const exact = createTestClient();
    const paise = createTestClient({ "money.precision": "paise" });
    let coarser = 0;
    const compare = (send: (asker: typeof exact) => { readonly body: string }): void => {
      const [left, right] = [amountsIn(send(exact).body), amountsIn(send(paise).body)];
      expect(left.length).toBeGreaterThan(0);
      expect(right.map(Number)).toEqual(left.map(rounded));
      for (const amount of right) expect(amount).toMatch(/^\d+(?:\.\d?[1-9])?$/);
      coarser += left.filter((amount, index) => amount !== right[index]).length;
    };
    for (let sent = 0; sent < 30; sent += 1) {
      compare(({ post, shown }) => post("/v1/impression", { ...shown, session_id: `${sent}` }));
    }
    compare(({ post, shown }) => post("/v1/impression", { ...shown, session_id: "0" }));
    compare(({ post, shown }) => {
      const { impression_id } = JSON.parse(post("/v1/impression", shown).body);
      return post("/v1/click", { impression_id });
    });
    for (const path of ["stats", "payouts"]) compare(({ get }) => get(`/v1/publisher/${path}`));
    expect(coarser).toBeGreaterThan(30);
  });

  test("don't change the price range of a surface", () => {
    const paise = createTestClient({ "money.precision": "paise" });
    expect(paise.get("/v1/publisher/surfaces").body).toBe(
      createTestClient().get("/v1/publisher/surfaces").body,
    );
  });

  test("are the same bytes when a duplicate is replayed", () => {
    const { post, shown } = createTestClient({
      "money.precision": "paise",
      "dedup.repeat": "replay",
    });
    const once = post("/v1/impression", { ...shown, session_id: "s" });
    expect(post("/v1/impression", { ...shown, session_id: "s" }).body).toBe(once.body);
  });
});

test("a form that isn't the default is listed as shaping a success", () => {
  const chosen = {
    "ids.format": "uuid",
    "money.precision": "paise",
    "response.form": "evolved",
  } as const;
  const { get, sim } = createTestClient(chosen);
  get("/v1/publisher/surfaces");
  const [entry] = sim.journal.entries();
  expect(entry?.assumptions).toEqual(expect.arrayContaining(Object.keys(chosen)));
  const plain = createTestClient();
  plain.get("/v1/publisher/surfaces");
  expect(plain.sim.journal.entries()[0]?.assumptions).toEqual(["surface.statuses"]);
});
