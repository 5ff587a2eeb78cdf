/** The pages of these tests: each has its script, bundled from the sources, at a server of its own. */

import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { rolldown } from "rolldown";

const pages = join(import.meta.dirname, "pages");
const modules = join(import.meta.dirname, "../../node_modules");

/** By path: the script's source, and for MSW in which of the two versions. */
const scripts = {
  "/plain/": { source: "plain.ts", msw: undefined },
  "/ads/": { source: "ads.ts", msw: undefined },
  "/msw-2/": { source: "with-msw.ts", msw: "msw2" },
  "/msw-3/": { source: "with-msw.ts", msw: "msw" },
} as const;

/** Where Playwright's set-up leaves the server's address for the tests. */
const SITE = "ADSIM_TEST_SITE";

/** The URL of a page. */
export function pageAt(path: keyof typeof scripts): string {
  return `${process.env[SITE]}${path}`;
}

/** Playwright calls it before all tests, and what it returns after them. */
async function startSite(): Promise<() => void> {
  const files = new Map<string, { readonly type: string; readonly text: string }>();
  await Promise.all(
    Object.entries(scripts).map(async ([path, { source, msw }]) => {
      files.set(path, {
        type: "text/html",
        text: '<script type="module" src="script.js"></script>',
      });
      const script = { type: "text/javascript", text: await bundled(source, msw ?? "msw") };
      files.set(`${path}script.js`, script);
      if (msw === undefined) return;
      const worker = await readFile(join(modules, msw, "lib/mockServiceWorker.js"), "utf8");
      files.set(`${path}mockServiceWorker.js`, { type: "text/javascript", text: worker });
    }),
  );
  const answer: RequestListener = ({ url = "" }, response) => {
    const file = files.get(url);
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": file?.type ?? "text/plain",
    });
    response.end(file?.text);
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  process.env[SITE] = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

async function bundled(source: string, msw: string): Promise<string> {
  const bundle = await rolldown({
    input: join(pages, source),
    platform: "browser",
    resolve: { alias: { "msw/browser": `${msw}/browser`, msw } },
    // Loaded on demand, and only in Node.
    external: /trace-html/,
  });
  const { output } = await bundle.generate();
  return output[0].code;
}

export default startSite;
