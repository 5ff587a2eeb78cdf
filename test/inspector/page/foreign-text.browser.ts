/** Whatever a client sent is text on the page: never markup, never a script, never an invisible character. */

import { expect, test } from "vitest";
import { useBrowser, visit } from "./visit.ts";

useBrowser();

const corpus = [
  `<script>globalThis.attacked = true</script>`,
  `<img src=x onerror="globalThis.attacked = true">`,
  `"><svg onload=globalThis.attacked=true>`,
  `'-globalThis.attacked=true-'`,
  `</pre></textarea></title><iframe srcdoc="<script>parent.attacked=true</script>">`,
  `javascript:globalThis.attacked=true`,
  `{{constructor.constructor("globalThis.attacked=true")()}}`,
  `<a href="javascript:globalThis.attacked=true" autofocus onfocus="globalThis.attacked=true">x</a>`,
];
const hidden = "a\u202eb\u200bc\u0007d\u2066e";

test("never becomes markup, wherever a client can write", async () => {
  const { page, world, publisher, open, go, complaints } = await visit();
  const authorization = `Bearer ${publisher.apiKey}`;
  for (const text of corpus) {
    world.handle({
      method: "POST",
      path: `/v1/${encodeURI(text)}${text}`,
      query: `x=${text}`,
      headers: { authorization, "x-own": text, "content-type": text },
      body: JSON.stringify({ ad_id: text, [text]: [text] }),
    });
    world.handle({ method: text, path: `/v1/impression`, headers: {}, body: text });
    world.publishers.signUp({ name: text, surfaces: [text] });
  }
  world.faults.add({
    id: "wrong",
    verdict: { kind: "respond", status: 200, headers: { "x-own": "<b>" }, body: corpus.join() },
  });
  world.handle({ method: "GET", path: "/v1/publisher/stats", headers: { authorization } });
  const last = corpus.length * 2 + 1;
  const places = [
    "",
    ...Array.from({ length: last }, (_, index) => `#at=${index + 1}`),
    `#at=${last}&tab=state`,
    "#at=1&tab=what-if",
    `#text=${encodeURIComponent(corpus.join(" "))}&show=<img>`,
    "#view=world&section=publishers",
    "#view=world&section=faults",
    "#view=world&section=<script>&search=<b>",
    "#view=findings",
  ];
  await open();
  for (const place of places) {
    await go(place);
    await page.locator("main :is(.list, .side)").first().waitFor();
    const [, at] = /at=(\d+)/.exec(place) ?? [];
    if (at !== undefined) await page.locator(`[aria-label="Exchange ${at}"] .tab-panel`).waitFor();
    const found = await page.evaluate(() => ({
      attacked: Reflect.get(globalThis, "attacked"),
      foreign: document.querySelectorAll(
        "img, iframe, main script, [onerror], [onload], [onfocus], a[href^='javascript:']",
      ).length,
    }));
    expect(found, place).toEqual({ attacked: undefined, foreign: 0 });
  }
  // It is all there to read.
  await open("#at=1");
  await page.getByRole("group", { name: "Request body" }).waitFor();
  expect(await page.locator(".panel").innerText()).toContain(corpus[0]);
  expect(complaints).toEqual([]);
});

test("shows JSON indented, and as it was sent where that would change a value", async () => {
  const { page, world, open, go } = await visit();
  const deep = "[".repeat(30_000) + "]".repeat(30_000);
  const exact = '{"a":9007199254740993,"a":1e400,"b":["\\u0041",{}],"c":[ ]}';
  for (const body of ['{"a": [1, "x y"], "b": {}}', exact, deep])
    world.handle({ method: "POST", path: "/v1/nothing", body });
  await open();
  const shown = async (at: number): Promise<string> => {
    await go(`#at=${at}`);
    await page.locator(`[aria-label="Exchange ${at}"]`).waitFor();
    return (await page.getByRole("group", { name: "Request body" }).innerText()).trim();
  };
  expect(await shown(1)).toBe('{\n  "a": [\n    1,\n    "x y"\n  ],\n  "b": {}\n}');
  expect(await shown(2)).toBe(exact);
  expect((await shown(3)).replaceAll(/\s/g, "")).toBe(deep);
});

test("shows control characters and those that change the direction as code points", async () => {
  const { page, world, open } = await visit();
  const headers = { "x-own": hidden };
  world.handle({ method: "POST", path: `/v1/${hidden}`, headers, body: hidden });
  world.publishers.signUp({ name: hidden });
  for (const place of ["#at=1", "#view=world&section=publishers"]) {
    await open(place);
    await page.locator(".panel .code-text, .point").first().waitFor();
    const later = page.getByRole("button", { name: "later" });
    if (await later.isVisible()) await later.click();
    await page.getByText("\\u202e").first().waitFor();
    const text = await page.locator("body").innerText();
    expect(text).toContain("a\\u202eb\\u200bc\\u0007d\\u2066e");
    for (const character of "\u202e\u200b\u0007\u2066") expect(text).not.toContain(character);
  }
});
