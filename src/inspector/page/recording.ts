/** The recording that the page's own file holds. */

import type { Trace } from "../trace.ts";

const text = document.getElementById("trace")?.textContent;

/** Undefined for the page of a server. */
export const recording: Trace | undefined = text ? JSON.parse(text) : undefined;
