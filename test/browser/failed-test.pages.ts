/** What a failing test shows, and the example of docs/javascript-tests.md, in a runner of their own. */

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { snippetsIn } from "../page-blocks.ts";
import { fromSource } from "../run-snippet.ts";

const root = join(import.meta.dirname, "../..");
const runner = [
  join(root, "node_modules/@playwright/test/cli.js"),
  "test",
  `--config=${join(import.meta.dirname, "nested.config.ts")}`,
];

/** @returns what the runner printed. */
function runNested(folder: string): Promise<string> {
  return new Promise((resolve) => {
    const named = { ADSIM_TEST_NESTED: folder, ADSIM_TRACES: folder, FORCE_COLOR: "0" };
    const env = { ...process.env, ...named };
    const options = { cwd: root, env, timeout: 150_000, killSignal: "SIGKILL" } as const;
    execFile(process.execPath, runner, options, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

async function writeExample(folder: string): Promise<void> {
  const page = await readFile(join(root, "docs/javascript-tests.md"), "utf8");
  const [example = ""] = snippetsIn(page, "js").filter((text) => text.includes("adsim/playwright"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "page.spec.js"), `${fromSource(example)}\n${serving}`);
}

test("the example of docs/javascript-tests.md passes; a failed test shows the last requests, and attaches its trace", async () => {
  // It starts a browser twice.
  test.setTimeout(180_000);
  const folder = await mkdtemp(join(tmpdir(), "adsim-test-"));
  try {
    await writeExample(folder);
    const said = await runNested(folder);
    expect(said).toContain("page.spec.js:3:1 › an impression is sent again a minute after a 503");
    expect(said).toContain('Expected an impression on record with ad "ad-2": there is none.');
    expect(said).toContain("adsim: 1 request to the test's world.");
    expect(said).toContain("#1 2026-01-15T00:00:00.000Z POST /v1/impression → 200, recorded");
    // Only a test that failed after a request has a trace.
    const traces = (await readdir(folder)).filter((name) => name.endsWith(".html"));
    expect(traces).toEqual([expect.stringMatching(/^a-failed-test-fails-[0-9a-f]{8}\.html$/)]);
    const trace = join(folder, traces[0] ?? "");
    expect(said).toContain(`adsim: to open in a browser: ${trace}`);
    const title = "fails.nested.ts &gt; a failed test &gt; fails</title>";
    expect(await readFile(trace, "utf8")).toContain(title);
    expect(said).toContain("attachment #1: adsim trace (text/html)");
    expect(said).toContain("the rule's own error");
    expect(said).toMatch(/2 failed\n[\s\S]*\b2 passed/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** The page that the example opens. */
const app = `<p></p><script type="module">
  const { key, publisher, surface } = Object.fromEntries(new URLSearchParams(location.search));
  const body = JSON.stringify({ publisher_id: publisher, surface, ad_id: "ad-1", session_id: "s-1" });
  const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
  const show = async () => {
    const answer = await fetch("https://ads.test/v1/impression", { method: "POST", headers, body });
    if (answer.ok) document.querySelector("p").textContent = "Recorded";
    else setTimeout(show, 1000 * answer.headers.get("retry-after"));
  };
  show();
</script>`;
const serving = `test.beforeEach(({ context }) =>
  context.route("http://localhost:5173/**", (route) =>
    route.fulfill({ contentType: "text/html", body: ${JSON.stringify(app)} }),
  ),
);`;
