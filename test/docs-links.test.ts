/** The pages lead to one another: no link is broken, no page is left out of the index or of llms.txt. */

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = globSync(["*.md", "llms.txt", "docs/**/*.md"], { cwd: root }).sort();
const manifest: { readonly files: readonly string[] } = JSON.parse(textOf("package.json"));

interface Link {
  /** Relative to the root; that of the page itself for a link to one of its own headings. */
  readonly path: string;
  readonly anchor: string | undefined;
}

function linksIn(page: string): Link[] {
  const text = textOf(page).replaceAll(/^```[\s\S]*?^```$/gm, "");
  const targets = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target);
  return targets
    .filter((target) => !/^https?:/.test(target))
    .map((target) => {
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

const docs = pages.filter((page) => dirname(page) === "docs");

test("there are pages", () => {
  expect(pages).toEqual(expect.arrayContaining(["README.md", "llms.txt", "docs/README.md"]));
  expect(docs.length).toBeGreaterThan(4);
});

test.each(pages)("every link of %s leads somewhere", (page) => {
  const broken = linksIn(page).filter(
    ({ path, anchor }) =>
      !existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor)),
  );
  expect(broken).toEqual([]);
});

test.each(["docs/README.md", "llms.txt"])("%s leads to every page of docs", (index) => {
  const led = new Set(linksIn(index).map(({ path }) => path));
  expect(docs.filter((page) => page !== index && !led.has(page))).toEqual([]);
});

test("docs/decisions/README.md leads to every decision, by its title", () => {
  const index = textOf("docs/decisions/README.md");
  const decisions = pages.filter((page) => /^docs\/decisions\/\d/.test(page));
  expect(decisions.length).toBeGreaterThan(15);
  for (const page of decisions) {
    const [, number = "", title = ""] = /^# (\d+): (.+)$/m.exec(textOf(page)) ?? [];
    expect(index).toContain(`[${number}](${relative("docs/decisions", page)}) | ${title} |`);
  }
});

test("llms.txt has the parts of its format, and leads to what is in the package", () => {
  const text = textOf("llms.txt");
  expect(text).toMatch(/^# .+\n\n> .+\n\n/);
  const [, ...sections] = text.split(/^## .+\n/m);
  expect(sections.length).toBeGreaterThan(2);
  for (const section of sections) {
    for (const line of section.trim().split("\n")) {
      expect(line).toMatch(/^(- \[[^\]]+\]\([^)]+\)(: .+)?)?$/);
    }
  }
  const packed = new Set(["README.md", ...globSync([...manifest.files], { cwd: root })]);
  for (const { path } of linksIn("llms.txt")) expect([...packed]).toContain(path);
});
