/** Runs in the file form of the inspector: rebuilds the recorded worlds in the page, and lets the page ask them. */

import { createEngine } from "./engine-worlds.ts";

const recording = document.getElementById("trace")?.textContent;
if (recording) Object.assign(globalThis, { adsimTrace: createEngine(JSON.parse(recording)) });
