/** The pages lead to one another: no link is broken, no page is left out of the index or of llms.txt. */

import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { pages, textOf } from "./page-blocks.ts";

const root = join(import.meta.dirname, "..");
const all = [...globSync(["*.md", "docs/**/*.md"], { cwd: root }), "llms.txt"].sort();

/** Its path is relative to the root; it is the page's own for a link to one of its headings. */
function linksIn(page: string): { readonly path: string; readonly anchor: string | undefined }[] {
  const text = textOf(page).replaceAll(/^```[\s\S]*?^```$/gm, "");
  const targets = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target);
  const own = targets.filter((target) => !/^https?:/.test(target));
  return own.map((target) => {
    const [path = "", anchor] = target.split("#");
    return { path: path === "" ? page : join(dirname(page), path), anchor };
  });
}

/** What a heading is called in a link: as GitHub makes it. */
function anchorsOf(page: string): string[] {
  const headings = textOf(page).matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test.each(all)("every link of %s leads somewhere", (page) => {
  const broken = linksIn(page).filter(
    ({ path, anchor }) =>
      !existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor)),
  );
  expect(broken).toEqual([]);
});

test.each(["docs/README.md", "llms.txt"])("%s leads to every page of docs", (index) => {
  const led = new Set(linksIn(index).map(({ path }) => path));
  const wanted = pages.filter((page) => page.startsWith("docs/") && page !== index);
  expect(wanted.length).toBeGreaterThan(15);
  expect(wanted.filter((page) => !led.has(page))).toEqual([]);
});

test("docs/decisions/README.md leads to every decision, by its title", () => {
  const index = textOf("docs/decisions/README.md");
  const decisions = all.filter((page) => /^docs\/decisions\/\d/.test(page));
  expect(decisions.length).toBeGreaterThan(15);
  for (const page of decisions) {
    const [, number = "", title = ""] = /^# (\d+): (.+)$/m.exec(textOf(page)) ?? [];
    expect(index).toContain(`[${number}](${page.split("/").at(-1)}) | ${title} |`);
  }
});

test("llms.txt has the parts of its format: a title, a quote, and lists of links", () => {
  const [, ...sections] = textOf("llms.txt").split(/^## .+\n/m);
  expect(textOf("llms.txt")).toMatch(/^# .+\n\n> .+\n\n/);
  expect(sections.length).toBeGreaterThan(2);
  for (const line of sections.flatMap((section) => section.trim().split("\n"))) {
    expect(line).toMatch(/^(- \[[^\]]+\]\([^)]+\)(: .+)?)?$/);
  }
});
