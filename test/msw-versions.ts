/** MSW in the two versions that `adsim/msw` is for: handlers made with each, and servers that listen with them. */

import { setupServer as setupServer3 } from "msw/node";
import type { HttpHandler as HttpHandler2 } from "msw2";
import { setupServer as setupServer2 } from "msw2/node";
import { vi } from "vitest";
import { createHandlers, type Handling } from "../src/msw.ts";

vi.doMock("msw", () => import("msw2"));
vi.resetModules();
const two: { readonly createHandlers: typeof createHandlers } = await import("../src/msw.ts");
vi.doUnmock("msw");

export const createHandlers2: typeof createHandlers = two.createHandlers;

/** Each intercepts requests below the base URL, and returns a function that stops it. */
type Listen = (sim: Handling, baseUrl: string) => () => void;

export const listeners: { readonly "MSW 2": Listen; readonly "MSW 3": Listen } = {
  "MSW 2"(sim, baseUrl) {
    const handlers = createHandlers2(sim, { baseUrl });
    const server = setupServer2(...(handlers as unknown as HttpHandler2[]));
    server.listen({ onUnhandledRequest: "error" });
    return () => server.close();
  },
  "MSW 3"(sim, baseUrl) {
    const server = setupServer3(...createHandlers(sim, { baseUrl }));
    server.listen({ onUnhandledFrame: "error" });
    return () => server.close();
  },
};
